"""Random edits of real code, in any language that has a grammar: what stands in one place is put in another.

A tree is a mapping from paths to bytes. Edits cut, copy, move, swap and replace syntax nodes within and between files,
rename, break and take back, and do to files what editors, git and people do: move, shadow, swap, give another language
by another name, bring back what was there. What comes out need not make sense; it has to be resolved all the same.
"""

from __future__ import annotations

import posixpath
import random
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from everdex.languages import GRAMMARS, language_in
from everdex.parse.grammar import parse_tree

Tree = dict[str, bytes]

_MOST_BYTES: Final = 24_000  # of a file, so that hundreds of edits do not grow one without end
_MOST_FILES: Final = 60
_SPLICED: Final = 2_500  # bytes of one node
_WORD: Final = re.compile(rb"[A-Za-z_]\w*\Z")
_WORDS: Final = re.compile(rb"[A-Za-z_]\w*")
_TOKENS: Final = re.compile(rb"\w+ ?|[^\w\s]+")
_HEADS: Final = re.compile(rb"^[ \t]*([a-z@]\w*)\b", re.MULTILINE)
_INDENT: Final = re.compile(rb"^[ \t]*(?=\w)", re.MULTILINE)
_OPENING: Final = (
    b"{", b"(", b"[", b'"', b"'", b"}", b")", b"<<<<<<< HEAD\n", b"=======\n", b"/*", b"#if X\n", b"def (:\n",
)  # fmt: skip
_KIN: Final = (
    (".py", ".pyi"), (".c", ".h", ".cpp", ".hpp", ".cc"), (".kt", ".kts"), (".scala", ".sbt"), (".sh", ".bash", ""),
    (".js", ".ts", ".tsx", ".jsx", ".mjs", ".cjs", ".mts", ".d.ts"),
    (".rb", ".rake"), (".php", ".phtml"), (".go", "_test.go"), (".java", ".kt", ".scala"),
    (".vue", ".svelte", ".html"), (".json", ".jsonc"),
)  # fmt: skip
_STEMS: Final = {
    ".py": ("__init__", "conftest", "main", "setup", "test_it", "__main__"), ".rs": ("mod", "lib", "main", "build"),
    ".ts": ("index", "main", "all.test"), ".js": ("index", "main"), ".c": ("main",), ".lua": ("init",),
}  # fmt: skip
_DIRECTORIES: Final = ("src", "lib", "pkg", "tests", "internal", "app", "vendor", "node_modules/x")


class Span(NamedTuple):
    """A named node of a syntax tree."""

    start: int
    end: int
    kind: str
    around: str  # the kind of its parent
    is_leaf: bool


@lru_cache(maxsize=4096)
def spans(grammar: str, data: bytes) -> tuple[Span, ...]:
    tree = parse_tree(grammar, data)
    if tree is None:
        return ()
    found, waiting = [], [tree.root_node]
    while waiting:
        node = waiting.pop()
        for child in node.children:
            if child.is_named and child.end_byte > child.start_byte:
                is_leaf = child.named_child_count == 0
                found.append(Span(child.start_byte, child.end_byte, child.type, node.type, is_leaf))
            waiting.append(child)
    return tuple(found)


def grammar_of(path: str, data: bytes) -> str:
    language = language_in(path, data) or ""
    return language if language in GRAMMARS else ""


def column_of(data: bytes, place: int) -> bytes:
    """The white space at the beginning of the line around a place."""
    line = data[data.rfind(b"\n", 0, place) + 1 : place]
    return line[: len(line) - len(line.lstrip())]


def indented(text: bytes, before: bytes, after: bytes) -> bytes:
    lines = text.split(b"\n")
    return b"\n".join([lines[0], *(after + line.removeprefix(before) if line.strip() else line for line in lines[1:])])


class Splicer:
    """Edits a tree; what it does depends on the seed, the donors and its own history only."""

    def __init__(self, seed: int, tree: Tree, donors: Sequence[tuple[str, bytes]] = ()) -> None:
        self._chance = random.Random(seed)
        self._pick = self._chance.choice
        self._donors = tuple(donors)
        self._seen: dict[str, list[bytes]] = {}
        self._states: list[Tree] = []
        self.tree = dict(tree)

    def step(self) -> str:
        """One edit; its name. Those that find nothing to do leave the tree as it is."""
        self._states.append(dict(self.tree))
        for path, data in self.tree.items():
            versions = self._seen.setdefault(path, [])
            if data not in versions[-8:]:
                versions.append(data)
        usual: tuple[Callable[[], None], ...] = (
            self.replace, self.replace, self.replace, self.insert, self.insert, self.insert, self.delete_node,
            self.delete_node, self.move_node, self.move_node, self.swap_nodes, self.rename_once, self.rename_once,
            self.rename_in_file, self.rename_everywhere, self.drop_line, self.double_line, self.add_line,
            self.drop_word, self.drop_word, self.add_word, self.add_word, self.add_word,
        )  # fmt: skip
        rare: tuple[Callable[[], None], ...] = (
            self.break_file, self.take_back, self.take_back, self.remove, self.move_file, self.move_file,
            self.copy_file, self.swap_files, self.recase, self.other_language, self.package, self.move_directory,
            self.empty, self.shift, self.back, self.give_another_name, self.adopt,
        )  # fmt: skip
        edit = self._pick(usual if self._chance.random() < 0.7 else rare)
        if self.tree:
            edit()
        elif self._states[0]:
            self.tree = dict(self._states[0])
        return edit.__name__

    # -- what stands in files

    def _path(self) -> str:
        return self._pick(sorted(self.tree))

    def _put(self, path: str, data: bytes) -> None:
        if len(data) <= _MOST_BYTES and len(self.tree) < _MOST_FILES:
            self.tree[path] = data

    def _spans(self, path: str) -> tuple[Span, ...]:
        grammar = grammar_of(path, self.tree[path])
        return spans(grammar, self.tree[path]) if grammar else ()

    def _others(self, grammar: str) -> list[bytes]:
        """Texts in one grammar, of the tree and of the donors."""
        both = [*sorted(self.tree.items()), *self._donors]
        return [data for path, data in both if grammar_of(path, data) == grammar]

    def _some_span(self, path: str, *, whole_lines: bool = False) -> Span | None:
        data = self.tree[path]
        fits = [each for each in self._spans(path) if each.end - each.start <= _SPLICED]
        if whole_lines:
            fits = [each for each in fits if not data[data.rfind(b"\n", 0, each.start) + 1 : each.start].strip()]
        return self._pick(fits) if fits else None

    def _text_of(self, data: bytes, span: Span) -> tuple[bytes, bytes]:
        return data[span.start : span.end], column_of(data, span.start)

    def replace(self) -> None:
        """A node becomes another one of its kind."""
        path = self._path()
        span = self._some_span(path)
        if span is None:
            return
        data = self.tree[path]
        grammar = grammar_of(path, data)
        other = self._pick(self._others(grammar))
        alike = [each for each in spans(grammar, other) if each.kind == span.kind and each.end - each.start <= _SPLICED]
        if not alike:
            alike = [each for each in spans(grammar, data) if each.kind == span.kind and each != span] or [span]
            other = data
        text, column = self._text_of(other, self._pick(alike))
        self._put(path, data[: span.start] + indented(text, column, column_of(data, span.start)) + data[span.end :])

    def insert(self) -> None:
        """A statement, a definition or an import more, from wherever one stands beside its like."""
        path = self._path()
        span = self._some_span(path, whole_lines=True)
        if span is None:
            return
        data = self.tree[path]
        grammar = grammar_of(path, data)
        other = self._pick(self._others(grammar))
        fits = [
            each for each in spans(grammar, other)
            if each.around == span.around and each.end - each.start <= _SPLICED
            and not other[other.rfind(b"\n", 0, each.start) + 1 : each.start].strip()
        ]  # fmt: skip
        if not fits:
            return
        text, column = self._text_of(other, self._pick(fits))
        here = column_of(data, span.start)
        made = indented(text, column, here)
        if self._chance.random() < 0.5:
            self._put(path, data[: span.start] + made + b"\n" + here + data[span.start :])
        else:
            self._put(path, data[: span.end] + b"\n" + here + made + data[span.end :])

    def delete_node(self) -> None:
        path = self._path()
        span = self._some_span(path, whole_lines=self._chance.random() < 0.7)
        if span is not None:
            data = self.tree[path]
            self._put(path, data[: span.start] + data[span.end :])

    def move_node(self) -> None:
        """A definition or statement goes to another file, or to another place in its own."""
        path = self._path()
        span = self._some_span(path, whole_lines=True)
        if span is None:
            return
        data = self.tree[path]
        grammar = grammar_of(path, data)
        text, column = self._text_of(data, span)
        self.tree[path] = data[: span.start] + data[span.end :]
        to = self._pick([each for each in sorted(self.tree) if grammar_of(each, self.tree[each]) == grammar] or [path])
        there = self._some_span(to, whole_lines=True)
        other = self.tree[to]
        place = there.start if there is not None else len(other)
        here = column_of(other, place)
        self._put(to, other[:place] + indented(text, column, here) + b"\n" + here + other[place:])

    def swap_nodes(self) -> None:
        path = self._path()
        one = self._some_span(path)
        if one is None:
            return
        alike = [
            each for each in self._spans(path)
            if each.around == one.around and (each.start >= one.end or each.end <= one.start)
            and each.end - each.start <= _SPLICED
        ]  # fmt: skip
        if alike:
            first, second = sorted((one, self._pick(alike)))
            data = self.tree[path]
            self._put(
                path,
                data[: first.start] + data[second.start : second.end] + data[first.end : second.start]
                + data[first.start : first.end] + data[second.end :],
            )  # fmt: skip

    def _names(self, path: str) -> list[Span]:
        data = self.tree[path]
        return [each for each in self._spans(path) if each.is_leaf and _WORD.match(data[each.start : each.end])]

    def _name(self) -> bytes:
        """One that is written somewhere, or a new one."""
        if self._chance.random() < 0.1:
            return b"fresh%d" % self._chance.randint(0, 3)
        path = self._path()
        names = self._names(path)
        if names:
            one = self._pick(names)
            return self.tree[path][one.start : one.end]
        return self._pick(_WORDS.findall(self.tree[path]) or [b"x"])

    def rename_once(self) -> None:
        path = self._path()
        names = self._names(path)
        if names:
            one, data = self._pick(names), self.tree[path]
            self._put(path, data[: one.start] + self._name() + data[one.end :])

    def _renamed(self, data: bytes, old: bytes, new: bytes) -> bytes:
        return re.sub(rb"\b%s\b" % re.escape(old), lambda _: new, data)

    def rename_in_file(self) -> None:
        path = self._path()
        names = self._names(path)
        if names:
            one, data = self._pick(names), self.tree[path]
            self._put(path, self._renamed(data, data[one.start : one.end], self._name()))

    def rename_everywhere(self) -> None:
        old, new = self._name(), self._name()
        for path in sorted(self.tree):
            self._put(path, self._renamed(self.tree[path], old, new))

    def _lines(self, path: str) -> list[bytes]:
        return self.tree[path].split(b"\n")

    def drop_line(self) -> None:
        path = self._path()
        lines = self._lines(path)
        del lines[self._chance.randrange(len(lines))]
        self._put(path, b"\n".join(lines))

    def double_line(self) -> None:
        path = self._path()
        lines = self._lines(path)
        at = self._chance.randrange(len(lines))
        lines.insert(at, lines[at])
        self._put(path, b"\n".join(lines))

    def add_line(self) -> None:
        """A line of another file in the same language, as far in as its neighbour."""
        path = self._path()
        lines = self._lines(path)
        at = self._chance.randrange(len(lines))
        line = self._pick(self._pick(self._others(grammar_of(path, self.tree[path])) or [b""]).split(b"\n")).strip()
        lines.insert(at, lines[at][: len(lines[at]) - len(lines[at].lstrip())] + line)
        self._put(path, b"\n".join(lines))

    def drop_word(self) -> None:
        """A keyword, a modifier, a name or an operator is there no more."""
        path = self._path()
        found = list(_TOKENS.finditer(self.tree[path]))
        if found:
            one, data = self._pick(found), self.tree[path]
            self._put(path, data[: one.start()] + data[one.end() :])

    def add_word(self) -> None:
        """The head of a line has one more, of those with which lines of this language begin."""
        path = self._path()
        data = self.tree[path]
        heads = _HEADS.findall(b"\n".join(self._others(grammar_of(path, data))))
        places = [found.end() for found in _INDENT.finditer(data)]
        if heads and places:
            at = self._pick(places)
            self._put(path, data[:at] + self._pick(heads) + b" " + data[at:])

    def break_file(self) -> None:
        path = self._path()
        data = self.tree[path]
        at = self._chance.randint(0, len(data))
        self._put(path, data[:at] + self._pick(_OPENING) + data[at:])

    def shift(self) -> None:
        path = self._path()
        self._put(path, b"\n\n" + self.tree[path])

    # -- files

    def take_back(self) -> None:
        """A file is what it was once, also one that is gone."""
        path = self._pick(sorted(self._seen))
        self._put(path, self._pick(self._seen[path]))

    def back(self) -> None:
        """Everything is as it was once: another commit."""
        self.tree = dict(self._pick(self._states))

    def empty(self) -> None:
        self.tree[self._path()] = b""

    def adopt(self) -> None:
        """A stranger's file comes."""
        if self._donors:
            path, data = self._pick(self._donors)
            self._put(posixpath.join(posixpath.dirname(self._path()), posixpath.basename(path)), data)

    def remove(self) -> None:
        del self.tree[self._path()]

    def _directory(self) -> str:
        known = {posixpath.dirname(path) for path in self.tree}
        known |= {posixpath.dirname(each) for each in known}
        chosen: str = self._pick(sorted(known))
        if self._chance.random() < 0.2:
            return posixpath.join(chosen, self._pick(_DIRECTORIES))
        return chosen

    def _moved(self, path: str) -> str:
        """Another directory, or another name in it."""
        directory, name = posixpath.split(path)
        stem, dot, ending = name.partition(".")
        if self._chance.random() < 0.5:
            return posixpath.join(self._directory(), name)
        others = [posixpath.basename(each).partition(".")[0] for each in sorted(self.tree)]
        stems = _STEMS.get(dot + ending, ()) or others
        return posixpath.join(directory, self._pick((self._pick(others), self._pick(stems), f"{stem}x")) + dot + ending)

    def move_file(self) -> None:
        path = self._path()
        to = self._moved(path)
        self.tree[to] = self.tree.pop(path)

    def copy_file(self) -> None:
        path = self._path()
        self._put(self._moved(path), self.tree[path])

    def swap_files(self) -> None:
        one, other = self._path(), self._path()
        self.tree[one], self.tree[other] = self.tree[other], self.tree[one]

    def recase(self) -> None:
        """The same name in other letters."""
        path = self._path()
        directory, name = posixpath.split(path)
        data = self.tree.pop(path)
        self.tree[posixpath.join(directory, self._pick((name.swapcase(), name.capitalize(), name.lower())))] = data

    def other_language(self) -> None:
        path = self._path()
        for kin in _KIN:
            ending = next((each for each in sorted(kin, key=len, reverse=True) if each and path.endswith(each)), None)
            if ending is not None:
                data = self.tree.pop(path)
                self.tree[path.removesuffix(ending) + self._pick(kin)] = data
                return

    def package(self) -> None:
        """A module becomes a package or is one no more; one directory more is one; a package hides a module."""
        path = self._path()
        stem, dot = posixpath.splitext(path)
        if posixpath.basename(stem) in ("__init__", "index", "mod", "init"):
            directory, data = posixpath.dirname(path), self.tree.pop(path)
            if directory and self._chance.random() < 0.5:
                self.tree[directory + dot] = data
            return
        inside = {".py": "__init__", ".rs": "mod", ".lua": "init"}.get(dot, "index")
        kind = self._chance.random()
        if kind < 0.4:
            self.tree[f"{stem}/{inside}{dot}"] = self.tree.pop(path)
        elif kind < 0.7:
            self._put(f"{stem}/{inside}{dot}", self.tree[self._path()] if self._chance.random() < 0.5 else b"")
        else:
            self._put(posixpath.join(posixpath.dirname(path), f"{inside}{dot}"), b"")

    def move_directory(self) -> None:
        directory = posixpath.dirname(self._path())
        to = self._directory()
        if directory and not to.startswith(f"{directory}/"):
            to = posixpath.join(to, posixpath.basename(directory)) if self._chance.random() < 0.5 else f"{directory}x"
            for path in [path for path in self.tree if path.startswith(f"{directory}/")]:
                self.tree[to + path.removeprefix(directory)] = self.tree.pop(path)

    def give_another_name(self) -> None:
        """A file and all that is written of it: what an editor does."""
        path = self._path()
        stem = posixpath.basename(path).partition(".")[0]
        new = self._name().decode("ascii", "replace")
        if _WORD.match(stem.encode()):
            data = self.tree.pop(path)
            self.tree[posixpath.join(posixpath.dirname(path), new + posixpath.basename(path).removeprefix(stem))] = data
            for each in sorted(self.tree):
                self._put(each, self._renamed(self.tree[each], stem.encode(), new.encode()))
