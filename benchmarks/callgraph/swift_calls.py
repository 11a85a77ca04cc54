"""Where swiftc says that each call leads, from the dump of its syntax trees.

    swiftc -frontend -dump-ast -module-name NAME [-I MODULES] FILE… > DUMP      (Swift 6.0: Debian trixie's swiftlang)
    python benchmarks/callgraph/swift_calls.py CHECKOUT ROOT DUMP > TRUTH

ROOT is what CHECKOUT was called by the compiler, which may have run in another root. A line of TRUTH is `path line
column name -> path line column`, as compiled.py reads them. Operators, calls that the compiler made (`implicit`) and
those of closures, parameters and what macros made are left out.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

NODE = re.compile(r"^( *)\((?:\w+=)?(\w+)(.*)$")
LOCATION = re.compile(r" location=(.+?):(\d+):(\d+) range=")
DECLARED = re.compile(r' decl="([^"]*?)(?:@([^"@]+?):(\d+):(\d+))?(?: \[[^"]*\])?"')
NAMED = re.compile(rb"[\w.]+(?:<[\w.,<> ?\[\]:]*>)?(?:\.\w+)*")
REFERENCES = ("declref_expr", "member_ref_expr", "other_constructor_ref_expr", "dynamic_member_ref_expr")
OUTSIDE = "- 0 0"
SPACE = "%20"


class Calls:
    """What one dump says."""

    def __init__(self, checkout: Path, root: str) -> None:
        self._checkout, self._root = checkout, root.rstrip("/") + "/"
        self._lines: dict[str, list[bytes]] = {}
        self._waiting: list[int] = []  # depths of calls whose called expression is being read

    def read(self, row: str) -> str | None:
        found = NODE.match(row)
        if found is None:
            return None
        depth, kind, rest = len(found[1]), found[2], found[3]
        while self._waiting and self._waiting[-1] >= depth:
            self._waiting.pop()
        if kind == "call_expr" and " implicit " not in rest:
            self._waiting.append(depth)
            return None
        if not self._waiting:
            return None
        if kind == "argument_list" or kind.endswith(("closure_expr", "tuple_expr")):
            self._waiting.pop()
            return None
        if kind not in REFERENCES:
            return None
        self._waiting.pop()
        return self._said(rest)

    def _said(self, rest: str) -> str | None:
        here, declared = LOCATION.search(rest), DECLARED.search(rest)
        if here is None or declared is None or not here[1].startswith(self._root):
            return None
        path, line, column = here[1].removeprefix(self._root), int(here[2]), int(here[3]) - 1
        text = self._line(path, line)
        name = re.match(rb"\w+", text[column:])
        if name is None:
            return None
        if ".init(" in declared[1] and name[0] != b"init":  # the type is named: the last of its names
            column, name = self._last(text, column)
        there = OUTSIDE
        if declared[2]:
            if not declared[2].startswith(self._root):
                return None
            if "(" not in declared[1].rpartition(".")[2] and not self._can_be_called(declared):
                return None
            home = declared[2].removeprefix(self._root).replace(" ", SPACE)
            there = f"{home} {declared[3]} {int(declared[4]) - 1}"
        return f"{path.replace(' ', SPACE)} {line} {column} {name[0].decode()} -> {there}"

    def _can_be_called(self, declared: re.Match[str]) -> bool:
        """Whether a function, a case or a type is declared there, and no variable."""
        front = self._line(declared[2].removeprefix(self._root), int(declared[3]))[: int(declared[4]) - 1]
        return re.search(rb"\b(?:func|case|class|struct|enum|actor)\b", front) is not None

    @staticmethod
    def _last(text: bytes, column: int) -> tuple[int, re.Match[bytes]]:
        found, name = NAMED.match(text, column), None
        if found is not None:
            plain = re.sub(rb"<.*>", lambda match: b" " * len(match[0]), found[0])
            *_, name = re.finditer(rb"\w+", plain)
            column += name.start()
        name = re.match(rb"\w+", text[column:])
        assert name is not None
        return column, name

    def _line(self, path: str, line: int) -> bytes:
        if path not in self._lines:
            self._lines[path] = (self._checkout / path).read_bytes().split(b"\n")
        return self._lines[path][line - 1]


def main() -> None:
    calls = Calls(Path(sys.argv[1]), sys.argv[2])
    said: set[str] = set()
    with Path(sys.argv[3]).open(encoding="utf-8", errors="replace") as dump:
        for row in dump:
            call = calls.read(row)
            if call and call not in said:
                said.add(call)
                print(call)


if __name__ == "__main__":
    main()
