"""Edits as people make them, each at a place that a seed draws: a parameter taken away, a base more, a method renamed.

Python by its syntax tree, TypeScript by patterns. What is edited is drawn from the names of its kind that the tree
writes most often: what many use is what an edit asks many for.
"""

from __future__ import annotations

import ast
import posixpath
import random
import re
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import Final, NamedTuple

Tree = dict[str, bytes]
Change = tuple[int, int, bytes]  # from, to, and what stands there instead

MOST: Final = 100  # names that are drawn from
_WORD: Final = re.compile(rb"[A-Za-z_]\w+")
_FUNCTION: Final = re.compile(rb"(?m)^export (?:default )?(?:async )?function (\w+)(?:<[^()\n]*>)?\(([^()]*)\)")
_INTERFACE: Final = re.compile(rb"(?m)^export interface (\w+)[^{\n]*\{\n")
_BARREL: Final = re.compile(rb"(?m)^export (?:\*|\{[^}]*\}) from '(\.[^']*)';?\n")
_EXPORTED: Final = re.compile(rb"(?m)^export (?:async )?(?:function|const|class|interface|type) (\w+)")


class _Function(NamedTuple):
    path: str
    node: ast.FunctionDef
    owner: ast.ClassDef | None


class Typical:
    """Edits of one tree; each is made on the tree as it is."""

    def __init__(self, tree: Mapping[str, bytes], chance: random.Random) -> None:
        self._tree = dict(tree)
        self._chance = chance

    def edited(self, kind: str) -> tuple[str, Tree] | None:
        """What was edited, and the tree with one edit of a kind; None where there is nothing to do."""
        for _ in range(40):
            found: tuple[str, Mapping[str, bytes | None]] | None = KINDS[kind](self)
            if found is None or not all(self._parses(path, data) for path, data in found[1].items()):
                continue
            after = {**self._tree, **found[1]}
            if after != self._tree:
                return found[0], {path: after[path] for path in sorted(after) if after[path] is not None}  # type: ignore[misc]
        return None

    def _parses(self, path: str, data: bytes | None) -> bool:
        return data is None or not path.endswith(".py") or _parsed(data) is not None

    # -- what there is

    @cached_property
    def _modules(self) -> dict[str, ast.Module]:
        parsed = ((path, _parsed(data)) for path, data in self._tree.items() if path.endswith(".py"))
        return {path: tree for path, tree in parsed if tree is not None}

    @cached_property
    def _written(self) -> Counter[bytes]:
        """By how many files each word is written."""
        return Counter(word for data in self._tree.values() for word in set(_WORD.findall(data)))

    @cached_property
    def _functions(self) -> list[_Function]:
        """Of modules and of their classes."""
        found = []
        for path, module in self._modules.items():
            for each in module.body:
                inside = each.body if isinstance(each, ast.ClassDef) else [each]
                owner = each if isinstance(each, ast.ClassDef) else None
                found += [_Function(path, node, owner) for node in inside if isinstance(node, ast.FunctionDef)]
        return found

    @cached_property
    def _classes(self) -> list[tuple[str, ast.ClassDef]]:
        return [(path, each) for path, module in self._modules.items() for each in _classes_of(module)]

    def _often(self, names: Mapping[bytes, list[object]]) -> object:
        ranked = sorted(names, key=lambda name: (-self._written[name], name))[:MOST]
        return self._chance.choice(names[self._chance.choice(ranked)]) if ranked else None

    def _function(self, fits: Callable[[_Function], bool] = lambda _: True) -> _Function | None:
        named: dict[bytes, list[object]] = {}
        for each in self._functions:
            if not each.node.name.startswith("__") and fits(each):
                named.setdefault(each.node.name.encode(), []).append(each)
        found = self._often(named)
        return found if isinstance(found, _Function) else None

    def _class(self, fits: Callable[[ast.ClassDef], bool] = lambda _: True) -> tuple[str, ast.ClassDef] | None:
        named: dict[bytes, list[object]] = {}
        for path, each in self._classes:
            if fits(each):
                named.setdefault(each.name.encode(), []).append((path, each))
        return self._often(named)  # type: ignore[return-value]

    def _changed(self, path: str, changes: list[Change]) -> dict[str, bytes | None]:
        data = self._tree[path]
        for start, end, text in sorted(changes, reverse=True):
            data = data[:start] + text + data[end:]
        return {path: data}

    def _span(self, path: str, node: ast.expr | ast.arg | ast.stmt) -> tuple[int, int]:
        starts = _starts(self._tree[path])
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset

    def _top(self, path: str, node: ast.stmt) -> int:
        """Where the line of a statement begins, its decorators with it."""
        decorators = getattr(node, "decorator_list", [])
        return _starts(self._tree[path])[min([node.lineno, *(each.lineno for each in decorators)]) - 1]

    # -- parameters

    def _renamed(self, one: _Function, name: str, to: str) -> list[Change]:
        found = []
        for node in (inside for each in one.node.body for inside in ast.walk(each)):
            if isinstance(node, ast.Name) and node.id == name:
                found.append((*self._span(one.path, node), to.encode()))
        return found

    def drop_parameter(self) -> tuple[str, dict[str, bytes | None]] | None:
        """The last by place is taken away, and None stands for it."""
        one = self._function(lambda each: len(each.node.args.args) > 1 + (each.owner is not None))
        if one is None:
            return None
        arguments = one.node.args
        gone, before = arguments.args[-1], arguments.args[-2]
        last: ast.expr | ast.arg = arguments.defaults[-1] if arguments.defaults else gone
        former: ast.expr | ast.arg = arguments.defaults[-2] if len(arguments.defaults) > 1 else before
        taken = (self._span(one.path, former)[1], self._span(one.path, last)[1], b"")
        changes = [taken, *self._renamed(one, gone.arg, "None")]
        return f"{_said(one)}({gone.arg})", self._changed(one.path, changes)

    def rename_parameter(self) -> tuple[str, dict[str, bytes | None]] | None:
        one = self._function(lambda each: len(each.node.args.args) > (each.owner is not None))
        if one is None:
            return None
        given = self._chance.choice(one.node.args.args[one.owner is not None :])
        start = self._span(one.path, given)[0]
        changes = [(start, start + len(given.arg.encode()), b"renamed"), *self._renamed(one, given.arg, "renamed")]
        return f"{_said(one)}({given.arg})", self._changed(one.path, changes)

    def take_required(self) -> tuple[str, dict[str, bytes | None]] | None:
        """One more without a default."""
        one = self._function(lambda each: bool(each.node.args.args) and not each.node.args.defaults)
        if one is None:
            return None
        end = self._span(one.path, one.node.args.args[-1])[1]
        return _said(one), self._changed(one.path, [(end, end, b", added")])

    def take_before_rest(self) -> tuple[str, dict[str, bytes | None]] | None:
        """One more by name, before `**kwargs`."""
        one = self._function(lambda each: each.node.args.kwarg is not None)
        if one is None or one.node.args.kwarg is None:
            return None
        place = self._tree[one.path].rfind(b"**", 0, self._span(one.path, one.node.args.kwarg)[0])
        return _said(one), self._changed(one.path, [(place, place, b"added=None, ")])

    # -- classes

    def add_base(self) -> tuple[str, dict[str, bytes | None]] | None:
        found = self._class(lambda each: bool(each.bases) and not each.keywords)
        if found is None:
            return None
        path, node = found
        top, end = self._top(path, node), self._span(path, node.bases[-1])[1]
        mixin = b"class AddedMixin:\n    def added(self):\n        return None\n\n\n"
        return f"{path} {node.name}", self._changed(path, [(top, top, mixin), (end, end, b", AddedMixin")])

    def drop_base(self) -> tuple[str, dict[str, bytes | None]] | None:
        found = self._class(lambda each: len(each.bases) > 1)
        if found is None:
            return None
        path, node = found
        taken = (self._span(path, node.bases[-2])[1], self._span(path, node.bases[-1])[1], b"")
        return f"{path} {node.name}", self._changed(path, [taken])

    def add_method(self) -> tuple[str, dict[str, bytes | None]] | None:
        return self._added("def added_by_an_edit(self):\n{0}    return None\n\n{0}")

    def add_attribute(self) -> tuple[str, dict[str, bytes | None]] | None:
        return self._added("added_by_an_edit = None\n{0}")

    def _added(self, text: str) -> tuple[str, dict[str, bytes | None]] | None:
        found = self._class(lambda each: isinstance(each.body[-1], ast.FunctionDef))
        if found is None:
            return None
        path, node = found
        last = node.body[-1]
        top = self._top(path, last)
        indent = " " * last.col_offset
        added = (indent + text.format(indent)).rstrip(" ").encode()
        return f"{path} {node.name}", self._changed(path, [(top, top, added)])

    def change_attribute(self) -> tuple[str, dict[str, bytes | None]] | None:
        """The value of a class attribute that is a literal."""
        found = self._class(lambda each: any(map(_is_plain, each.body)))
        if found is None:
            return None
        path, node = found
        chosen = self._chance.choice([each for each in node.body if _is_plain(each)])
        assert isinstance(chosen, ast.Assign)
        assert isinstance(chosen.value, ast.Constant)
        value = chosen.value.value
        number = repr(value + 1) if isinstance(value, int) else "'changed'"
        other = repr(not value) if isinstance(value, bool) else number
        said = ast.unparse(chosen.targets[0])
        return f"{path} {node.name}.{said}", self._changed(path, [(*self._span(path, chosen.value), other.encode())])

    def rename_method(self) -> tuple[str, dict[str, bytes | None]] | None:
        """And its calls in the same file."""
        one = self._function(lambda each: each.owner is not None)
        if one is None:
            return None
        name = re.compile(rb"(?<=\.|\s)%s(?=\s*\()" % one.node.name.encode())
        return _said(one), {one.path: name.sub(b"renamed_by_an_edit", self._tree[one.path])}

    # -- modules

    def drop_module(self) -> tuple[str, dict[str, bytes | None]] | None:
        named: dict[bytes, list[object]] = {}
        for path in self._modules:
            named.setdefault(posixpath.basename(path)[:-3].encode(), []).append(path)
        named.pop(b"__init__", None)
        path = self._often(named)
        return (path, {path: None}) if isinstance(path, str) else None

    def move_function(self) -> tuple[str, dict[str, bytes | None]] | None:
        """To a module beside its own, which imports it from there."""
        one = self._function(lambda each: each.owner is None and not each.node.decorator_list)
        if one is None:
            return None
        directory = posixpath.dirname(one.path)
        beside = [path for path in self._modules if posixpath.dirname(path) == directory and path != one.path]
        beside = [path for path in beside if posixpath.basename(path) != "__init__.py"]
        if not beside:
            return None
        to = self._chance.choice(beside)
        start, end = self._span(one.path, one.node)
        stem = posixpath.splitext(posixpath.basename(to))[0]
        left = f"from .{stem} import {one.node.name}".encode()
        moved = self._tree[to] + b"\n\n" + self._tree[one.path][start:end] + b"\n"
        return f"{_said(one)} to {to}", {**self._changed(one.path, [(start, end, left)]), to: moved}

    def import_in_init(self) -> tuple[str, dict[str, bytes | None]] | None:
        """What a module beside it defines, imported by a package."""
        packages = [path for path in self._modules if posixpath.basename(path) == "__init__.py"]
        if not packages:
            return None
        path = self._chance.choice(packages)
        directory = posixpath.dirname(path)
        beside = [each for each in self._functions if each.owner is None and posixpath.dirname(each.path) == directory]
        beside = [each for each in beside if each.path != path]
        if not beside:
            return None
        one = self._chance.choice(beside)
        stem = posixpath.splitext(posixpath.basename(one.path))[0]
        line = f"\nfrom .{stem} import {one.node.name}\n".encode()
        return f"{path} {one.node.name}", {path: self._tree[path] + line}

    def decorate(self) -> tuple[str, dict[str, bytes | None]] | None:
        """A function gets a decorator that gives it back."""
        one = self._function()
        if one is None:
            return None
        around: ast.stmt = one.owner or one.node
        top, place = self._top(one.path, around), self._top(one.path, one.node)
        added = b"def added_decorator(function):\n    return function\n\n\n"
        mark = b" " * one.node.col_offset + b"@added_decorator\n"
        changes = [(top, top, added + mark)] if top == place else [(top, top, added), (place, place, mark)]
        return _said(one), self._changed(one.path, changes)

    def edit_decorator(self) -> tuple[str, dict[str, bytes | None]] | None:
        """A statement more in what decorates others."""
        used = {
            ast.unparse(mark.func if isinstance(mark, ast.Call) else mark).rpartition(".")[2]
            for each in self._functions for mark in each.node.decorator_list
        }  # fmt: skip
        one = self._function(lambda each: each.owner is None and each.node.name in used)
        if one is None:
            return None
        last = one.node.body[-1]
        top = self._top(one.path, last)
        return _said(one), self._changed(one.path, [(top, top, b" " * last.col_offset + b"print(id(None))\n")])

    # -- TypeScript

    def _matched(self, pattern: re.Pattern[bytes]) -> tuple[str, re.Match[bytes]] | None:
        named: dict[bytes, list[object]] = {}
        for path, data in self._tree.items():
            if path.endswith((".ts", ".tsx")):
                for found in pattern.finditer(data):
                    named.setdefault(found[1], []).append((path, found))
        return self._often(named)  # type: ignore[return-value]

    def ts_take_more(self) -> tuple[str, dict[str, bytes | None]] | None:
        """An exported function takes one more, which need not be passed."""
        found = self._matched(_FUNCTION)
        if found is None:
            return None
        path, head = found
        text = head[2].rstrip().rstrip(b",")
        more = (text + b", " if text else b"") + b"added?: string"
        return f"{path} {head[1].decode()}", self._changed(path, [(head.start(2), head.end(2), more)])

    def ts_rename_parameter(self) -> tuple[str, dict[str, bytes | None]] | None:
        found = self._matched(_FUNCTION)
        name = re.match(rb"\s*(\w+)\??:", found[1][2]) if found is not None else None
        if found is None or name is None:
            return None
        path, head = found
        start = head.start(2) + name.start(1)
        changed = (start, start + len(name[1]), b"renamed")
        return f"{path} {head[1].decode()}", self._changed(path, [changed])

    def ts_member(self) -> tuple[str, dict[str, bytes | None]] | None:
        """A member more of an interface."""
        found = self._matched(_INTERFACE)
        if found is None:
            return None
        path, head = found
        return f"{path} {head[1].decode()}", self._changed(path, [(head.end(), head.end(), b"  added?: string;\n")])

    def ts_barrel(self) -> tuple[str, dict[str, bytes | None]] | None:
        """A file that gives on what others have gives on one thing more."""
        found = self._matched(_BARREL)
        if found is None:
            return None
        path, line = found
        of = posixpath.normpath(posixpath.join(posixpath.dirname(path), line[1].decode()))
        there = next((each for each in (f"{of}.ts", f"{of}.tsx", f"{of}/index.ts") if each in self._tree), None)
        names = _EXPORTED.findall(self._tree[there]) if there is not None else []
        if not names:
            return None
        more = b"export { %s as addedByAnEdit } from '%s';\n" % (self._chance.choice(names), line[1])
        return f"{path} {of}", self._changed(path, [(line.end(), line.end(), more)])

    def ts_drop_barrel_line(self) -> tuple[str, dict[str, bytes | None]] | None:
        found = self._matched(_BARREL)
        return None if found is None else (found[0], self._changed(found[0], [(*found[1].span(), b"")]))


def _said(one: _Function) -> str:
    return f"{one.path} {one.owner.name + '.' if one.owner else ''}{one.node.name}"


def _parsed(data: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(data)
    except (SyntaxError, ValueError):
        return None


def _classes_of(module: ast.Module) -> Iterator[ast.ClassDef]:
    return (each for each in module.body if isinstance(each, ast.ClassDef))


def _is_plain(node: ast.stmt) -> bool:
    return isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and len(node.targets) == 1


def _starts(data: bytes) -> list[int]:
    found = [0]
    for line in data.splitlines(keepends=True):
        found.append(found[-1] + len(line))
    return found


KINDS: Final[Mapping[str, Callable[[Typical], tuple[str, dict[str, bytes | None]] | None]]] = {
    function.__name__: function
    for function in (
        Typical.drop_parameter, Typical.rename_parameter, Typical.take_required, Typical.take_before_rest,
        Typical.add_base, Typical.drop_base, Typical.add_method, Typical.add_attribute, Typical.change_attribute,
        Typical.rename_method, Typical.drop_module, Typical.move_function, Typical.import_in_init, Typical.decorate,
        Typical.edit_decorator, Typical.ts_take_more, Typical.ts_rename_parameter, Typical.ts_member,
        Typical.ts_barrel, Typical.ts_drop_barrel_line,
    )
}  # fmt: skip
