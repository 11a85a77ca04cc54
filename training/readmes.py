"""Pairs out of a package's README: what stands above a piece of example code, with the code.

Headings and the sentence before a code block are phrased like questions that people ask ("Reading a file line by
line"), unlike documentation comments. Only fenced blocks in Markdown are read; shell sessions and output are not code.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from training.hygiene import BenchmarkCode
from training.pairs import MAX_WORDS, MIN_DOCUMENT_WORDS, Pair, embedding_words, question

_README: Final = re.compile(r"^(package|[^/]+\.dist-info|[^/]+)/(readme\.(md|markdown)|METADATA)$", re.IGNORECASE)
_HEADING: Final = re.compile(r"^#{1,5}\s+(.+?)\s*#*$")
_FENCE: Final = re.compile(r"^\s{0,3}(```+|~~~+)\s*([\w+#-]*)")
_COMMENTS: Final = re.compile(r"(^|\s)(#|//).*$", re.MULTILINE)
_LINK: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_LANGUAGES: Final = {
    "py": "python", "python": "python", "python3": "python", "pycon": "python",
    "js": "javascript", "javascript": "javascript", "jsx": "javascript", "mjs": "javascript",
    "ts": "typescript", "typescript": "typescript", "tsx": "tsx",
    "go": "go", "rust": "rust", "rs": "rust", "ruby": "ruby", "rb": "ruby", "php": "php", "java": "java",
    "kotlin": "kotlin", "swift": "swift", "c": "c", "cpp": "cpp", "c++": "cpp", "csharp": "csharp", "cs": "csharp",
    "scala": "scala", "lua": "lua", "haskell": "haskell", "elixir": "elixir", "zig": "zig",
}  # fmt: skip


def is_readme(path: str) -> bool:
    return _README.match(path) is not None


def mine_readme(data: bytes, benchmarks: BenchmarkCode) -> Iterator[Pair]:
    """The pairs of one README; nothing of what it shares with a benchmark."""
    if benchmarks.shared(data):
        return
    heading = sentence = fence = language = ""
    code: list[str] = []
    for line in data.decode("utf-8", "replace").splitlines():
        mark = _FENCE.match(line)
        if fence:
            if mark is not None and line.strip().startswith(fence):
                yield from _pair(heading, sentence, language, code)
                fence = sentence = ""
            else:
                code.append(line)
        elif mark is not None:
            fence, language, code = mark[1], mark[2].lower(), []
        elif (title := _HEADING.match(line)) is not None:
            heading, sentence = title[1], ""
        elif line.strip():
            sentence = line.strip()


def _pair(heading: str, sentence: str, language: str, code: list[str]) -> Iterator[Pair]:
    known = _LANGUAGES.get(language)
    text = question(_LINK.sub(r"\1", f"{heading}: {sentence}"))
    if known is None or text is None:
        return
    body = embedding_words(_COMMENTS.sub("", "\n".join(code)))[:MAX_WORDS]
    if len(body) >= MIN_DOCUMENT_WORDS:
        yield Pair(known, "readme", text, "", "", " ".join(body))
