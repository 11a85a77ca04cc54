"""What a piece of a question is by its shape: a glob that says where to look, or the head of a definition."""

from __future__ import annotations

import re
from typing import Final

_GLOB: Final = re.compile(r"(?:\*\*?\.|(?!/\*)(?=[^/]*/))[\w@./*?+-]+")
_BEFORE: Final = (
    "export|default|public|private|protected|internal|static|abstract|final|async|pub|unsafe|override|open|sealed|data"
    "|inline|extern"
)
_KINDS: Final = (
    "def|class|func|fun|fn|function|interface|struct|trait|enum|type|const|let|var|module|impl|object|record|protocol"
)
_HEAD: Final = re.compile(
    rf"(?P<before>(?:(?:{_BEFORE}) )*)(?:{_KINDS}) (?:\([^()]*\) )?(?P<name>[A-Za-z_$][\w$]*[!?]?)"
    r"(?P<after>[(:{<=\[]|(?: ?= ?| ?\{| struct\b| interface\b| extends\b))?(?(after)|$)"
)


def is_glob(word: str) -> bool:
    """Whether a word of a question matches paths: `src/**/*.py`, `*.ts`; not `.*`, a comment or a product."""
    return "*" in word and ".*" not in word and bool(_GLOB.fullmatch(word)) and any(map(str.isalnum, word))


def defined_by(text: str) -> str | None:
    """The name that a pasted head defines: `def open(self`. English says `class names`, and means no definition."""
    head = _HEAD.match(text)
    if head is None:
        return None
    is_code = head["before"] or head["after"] or head["name"] != head["name"].lower()
    return head["name"] if is_code else None
