"""What a repository is, in its own words: what its manifest says it is, else the first sentence of its README.

The files are the repository's: any of them may be nonsense, and nothing in them is followed.
"""

from __future__ import annotations

import re
import tomllib
from typing import Any, Final

import msgspec

from everdex.strangers import read_toml
from everdex.view import SnapshotView

_MAX_MANIFEST: Final = 1 << 20
_MANIFESTS: Final = ("pyproject.toml", "Cargo.toml", "package.json", "composer.json")
_TABLES: Final[dict[str, tuple[tuple[str, ...], ...]]] = {
    "pyproject.toml": (("project",), ("tool", "poetry")), "Cargo.toml": (("package",), ("workspace", "package")),
}  # fmt: skip
_READMES: Final = ("readme.md", "readme.rst", "readme.txt", "readme", "readme.markdown", "readme.adoc")
_LOOKED_AT: Final = 16_384  # bytes of a README
_LONGEST: Final = 240
_FEWEST_WORDS: Final = 5
_BLOCK: Final = re.compile(r"(?i)</?(?:p|br|hr|h\d|div|li|ul|ol|table|tr|td|th|picture|center)\b[^<>]{0,400}>")
_TAG: Final = re.compile(r"<[^<>]{1,400}>")
_PICTURE: Final = re.compile(r"!\[[^\[\]]{0,200}\]\([^()\s]{0,400}\)")
_LINK: Final = re.compile(r"\[([^\[\]]{0,200})\](?:\([^()]{0,400}\)|\[[^\[\]]{0,100}\])?")
_ANCHOR: Final = re.compile(r"(?i)<a\b[^<>]{0,400}>([^<>]{0,200})</a>")
_ASIDE: Final = re.compile(r"\s*(?:#|\.\.\s|=|[|>*+~`-]|:\w+:|\[[^\]]{1,80}\]:|\d+\.\s|={2,}|<!--)")
_SENTENCE: Final = re.compile(r"[.!?](?:\s|\Z)")


def read_manifest(view: SnapshotView, path: str) -> dict[str, Any] | None:
    """The contents of a TOML or JSON file that is an object; None for anything else."""
    source = view.source(path)
    if len(source) > _MAX_MANIFEST:
        return None
    try:
        read = read_toml(source) if path.endswith(".toml") else msgspec.json.decode(source)
    except (tomllib.TOMLDecodeError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def about(view: SnapshotView) -> tuple[str, str] | None:
    """One sentence or two, and the file they are from."""
    top = {path for path in view.paths if "/" not in path}
    for path in _MANIFESTS:
        said = described(view, path) if path in top else ""
        if said:
            return said, path
    by_name = {path.lower(): path for path in sorted(top)}
    for name in _READMES:
        said = _first_sentence(view.source(by_name[name])) if name in by_name else ""
        if said:
            return said, by_name[name]
    return None


def described(view: SnapshotView, path: str) -> str:
    """What a manifest says that its package is."""
    read = read_manifest(view, path) or {}
    for keys in _TABLES.get(path.rpartition("/")[2], ((),)):
        table: Any = read
        for key in keys:
            table = table.get(key) if isinstance(table, dict) else None
        said = table.get("description") if isinstance(table, dict) else None
        if isinstance(said, str) and said.strip():
            return _cut(" ".join(said.split()))
    return ""


def _first_sentence(source: bytes) -> str:
    """The first paragraph that is one: no heading, badge, list, row of links or call to go elsewhere."""
    text = source[:_LOOKED_AT].decode("utf-8", "replace").replace("\r\n", "\n")
    text = _TAG.sub("", _BLOCK.sub("\n\n", _ANCHOR.sub(r"[\1]()", text)))
    for paragraph in re.split(r"\n[ \t]*\n", text):
        lines = [line for line in paragraph.split("\n") if line.strip()]
        if lines and lines[0].startswith("##"):
            break  # what follows is about something in particular
        if not lines or _ASIDE.match(lines[0]):
            continue
        linked = _PICTURE.sub("", " ".join(lines))
        plain = " ".join(_LINK.sub(r"\1", linked).replace("**", "").split())
        if len(plain.split()) >= _FEWEST_WORDS and _SENTENCE.search(plain) and not _points_elsewhere(linked):
            return _cut(plain)
    return ""


def _points_elsewhere(text: str) -> bool:
    """Whether at least half of the words stand in links: a call to go there, not what something is."""
    words = [len(match[1].split()) for match in _LINK.finditer(text)]
    return 2 * sum(words) >= len(_LINK.sub(r"\1", text).split())


def _cut(text: str) -> str:
    """At the end of a sentence if there is one near enough, else between words."""
    if len(text) <= _LONGEST:
        return text
    ends = [match.start() + 1 for match in _SENTENCE.finditer(text, 0, _LONGEST)]
    return text[: ends[-1]] if ends else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
