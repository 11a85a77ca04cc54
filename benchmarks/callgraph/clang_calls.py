"""Where clang says that each call of a C or C++ tree leads: `path line column name -> path line`, '-' for outside.

    python benchmarks/callgraph/clang_calls.py CHECKOUT DIRECTORY,… [CLANG'S ARGUMENTS…] > TRUTH

Needs the package libclang and the headers of gcc. A source file whose includes are not all found is left out, for what
they declare is guessed there. Columns are bytes from 0. Constructors, operators and calls in templates that depend on
their parameters are not told; what a macro made has no name at its place and is left out by the reader. Where the body
is in another file, declaration and body are two lines.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from clang import cindex

KIND = cindex.CursorKind
CALLED = (KIND.FUNCTION_DECL, KIND.CXX_METHOD, KIND.FUNCTION_TEMPLATE)
FATAL = 4
SOURCES = {".c": ["-xc", "-std=gnu11"], ".cc": ["-xc++", "-std=c++17"], ".cpp": ["-xc++", "-std=c++17"]}
GCC = sorted(Path("/usr/lib/gcc/x86_64-linux-gnu").glob("*"))[-1]
HEADERS = [f"-I/usr/include/c++/{GCC.name}", f"-I/usr/include/x86_64-linux-gnu/c++/{GCC.name}", f"-I{GCC}/include"]


class Calls:
    """The calls of one tree."""

    def __init__(self, root: str) -> None:
        self._root = f"{root}/"
        self.rows: set[tuple[str, int, int, str, str, int, str]] = set()
        self.defined: dict[str, tuple[str, int]] = {}  # where what is declared elsewhere has its body

    def read(self, cursor: Any) -> None:
        for child in cursor.get_children():
            outer = cursor.kind == KIND.TRANSLATION_UNIT and child.kind != KIND.UNEXPOSED_DECL
            if outer and not self._inside(child.location):
                continue
            if child.kind in CALLED and child.is_definition() and (home := self._inside(child.location)):
                self.defined.setdefault(child.get_usr(), (home, child.location.line))
            if child.kind == KIND.CALL_EXPR:
                self._call(child)
            self.read(child)

    def _call(self, cursor: Any) -> None:
        named = _callee(cursor)
        target = named.referenced if named is not None else None
        path = self._inside(named.location) if named is not None else ""
        if target is None or not path or target.kind not in CALLED:
            return
        defined = target.get_definition() or target
        home = self._inside(defined.location)
        place = (path, named.location.line, named.location.column - 1, target.spelling)
        self.rows.add((*place, home or "-", defined.location.line if home else 0, target.get_usr()))

    def _inside(self, location: Any) -> str:
        path = os.path.realpath(location.file.name) if location.file else ""
        return path.removeprefix(self._root) if path.startswith(self._root) else ""


def _callee(cursor: Any) -> Any:
    """The name of what is called."""
    first = next(iter(cursor.get_children()), None)
    if first is None or first.kind in (KIND.DECL_REF_EXPR, KIND.MEMBER_REF_EXPR):
        return first
    return _callee(first) if first.kind in (KIND.UNEXPOSED_EXPR, KIND.PAREN_EXPR) else None


def main() -> None:
    root, directories, *arguments = os.path.realpath(sys.argv[1]), *sys.argv[2:]
    calls, index = Calls(root), cindex.Index.create()
    for directory in directories.split(","):
        for source in sorted(path for path in Path(root, directory).rglob("*") if path.suffix in SOURCES):
            unit = index.parse(str(source), [*SOURCES[source.suffix], *HEADERS, *arguments])
            if any(each.severity >= FATAL for each in unit.diagnostics):
                print(f"left out: {source}", file=sys.stderr)
                continue
            calls.read(unit.cursor)
    for path, line, column, name, home, at, usr in sorted(calls.rows):
        for there, row in sorted({(home, at), calls.defined.get(usr, (home, at)) if home != "-" else (home, at)}):
            print(f"{path} {line} {column} {name} -> {there} {row}")


if __name__ == "__main__":
    main()
