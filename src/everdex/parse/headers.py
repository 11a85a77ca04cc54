"""The head of a definition on one line: without its comments, which say nothing about how it is used, and for a list
shortened to what it takes.

Works on text alone: strings are kept whole, so a mark inside one begins no comment.
"""

from __future__ import annotations

import re
from typing import Final

SHOWN: Final = 160

_STRING: Final = rb'"""[\s\S]*?"""|\'\'\'[\s\S]*?\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|`[^`]*`'
_COMMENTS: Final = {
    mark: re.compile(b"(" + _STRING + b")|" + comment)
    for mark, comment in {"#": rb"#[^\n]*", "--": rb"--[^\n]*", "//": rb"//[^\n]*|/\*[\s\S]*?\*/"}.items()
}
_MARKS: Final = {"python": "#", "ruby": "#", "bash": "#", "elixir": "#", "lua": "--", "haskell": "--", "sql": "--"}
_BROKEN: Final = re.compile(r"(?<=[(\[]) |,? (?=[)\]])")
# Long heads lose what only tells tools about them: `@Data @GVK(group = "x")`, `#[derive(Clone)]`.
_NOTES: Final = re.compile(
    r"(?:@[\w.]+(?:\((?:[^()\"]|\"[^\"]*\"|\([^()]*\)){0,2000}\))?\s+|#!?\[[^\[\]]{0,2000}\]\s*)+(?=\w)"
)
_OPENING: Final = "([{"
_CLOSING: Final = ")]}"


def one_line(head: bytes, language: str) -> str:
    """A head as one line: without comments, and without the spaces and commas that its line breaks added."""
    mark = _MARKS.get(language, "//")
    if mark[:1].encode() in head:
        head = _COMMENTS[mark].sub(lambda found: found[1] or b" ", head)
    return _BROKEN.sub("", " ".join(head.decode("utf-8", "replace").split()))


def shortened(text: str) -> str:
    """A head of at most `SHOWN` characters: annotations before it go first, then parameters lose their types, then
    the rest is cut (`…`)."""
    if len(text) > SHOWN:
        text = _NOTES.sub("", text, count=1) if _NOTES.match(text) else text
    if len(text) > SHOWN:
        text = _names_only(text)
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _names_only(text: str) -> str:
    """What stands behind a parameter's name, its type and default, is left out."""
    kept: list[str] = []
    depth, left_out, quote = 0, False, ""
    inside = 0  # how many `Pick<` are open in what is left out: their commas end no parameter
    for at, character in enumerate(text):
        if quote:
            quote = "" if character == quote else quote
        elif character in "\"'`":
            quote = character
        elif character in _OPENING:
            depth += 1
        elif character in _CLOSING:
            depth -= 1
            left_out = left_out and depth > 0
            inside = inside if left_out else 0
        elif left_out and depth == 1 and character == "<" and text[at - 1].isalnum():
            inside += 1
        elif inside and depth == 1 and character == ">" and text[at - 1] not in "=-":
            inside -= 1
        elif depth == 1 and character in ":=" and "::" not in text[max(at - 1, 0) : at + 2]:
            left_out = True
            while kept[-1] == " ":
                kept.pop()
        elif depth == 1 and character == "," and not inside:
            left_out = False
        if not left_out:
            kept.append(character)
    return "".join(kept) + ("…" if left_out else "")
