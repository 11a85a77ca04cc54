"""Decoded facts of files, a bounded number of them at a time, with what is quick to look up in them.

Nothing is decided here; the memo of answers that belong to a file lives and is dropped with it.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable
from typing import Any, Final, TypeAlias

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins
from everdex.graph.model import World

_KEPT: Final = 1_500
# Bundled or generated code: followed less far, because everything in it leads everywhere.
_LARGE_EXPRESSIONS: Final = 60_000

_EMPTY: Final = m.Facts(
    False, False, [m.Definition("", "", "module", -1, 0, 0, 0, 0, True)],
    [(m.UNKNOWN,)], [(m.T_UNKNOWN,)], [], [], [], [], [], [], [], [], {}, {}, {}, {},
)  # fmt: skip


# Where an object literal stands, or an array or a choice with one in it: ('argument', call, number), ('result',
# function, 0), ('member', object, name), ('element', array, 0), ('choice', choice, 0), ('stored', member, 0),
# ('type', type, 0)
Placed: TypeAlias = tuple[str, int, Any]
_PLACED: Final = frozenset((m.OBJECT, m.ARRAY, m.CHOICE))


class File:
    """One file's facts."""

    __slots__ = (
        "_by_called", "_exports", "_homes", "_keys", "_members", "_owners", "_placed", "_returned", "bindings",
        "classes", "expressions", "facts", "functions", "interfaces", "large", "memo", "path", "types",
    )  # fmt: skip

    def __init__(self, path: str, data: bytes) -> None:
        self.path = path
        self.facts = m.decode(data) if data[:1] == m.FAMILY else _EMPTY
        self.expressions = self.facts.expressions
        self.types = self.facts.types
        self.bindings = self.facts.bindings
        self.functions = self.facts.functions
        self.classes = self.facts.classes
        self.interfaces = self.facts.interfaces
        self.large = len(self.expressions) > _LARGE_EXPRESSIONS
        self.memo: dict[Any, Any] = {}
        self._by_called: dict[str, list[int]] | None = None
        self._exports: dict[str, list[m.Export]] | None = None
        self._homes: dict[int, str] = {}
        self._keys: list[str] | None = None
        self._owners: dict[tuple[int, int], int] | None = None
        self._placed: tuple[dict[int, tuple[int, str]], dict[int, Placed]] | None = None
        self._returned: dict[int, int] | None = None
        self._members: list[int] | None = None

    @property
    def keys(self) -> list[str]:
        """The key of every definition."""
        if self._keys is None:
            keys: list[str] = []
            for node in self.facts.nodes:
                above = keys[node.parent] if node.parent >= 0 else ""
                keys.append(node.key or (f"{above}.{node.name}" if above else node.name))
            self._keys = keys
        return self._keys

    @property
    def exports(self) -> dict[str, list[m.Export]]:
        if self._exports is None:
            self._exports = {}
            for export in self.facts.exports:
                self._exports.setdefault(export.name, []).append(export)
        return self._exports

    @property
    def has_parts(self) -> bool:
        """Whether a module exports something beside the whole that CommonJS assigned; types are not there to be had."""
        return any(export.name != "=" and export.imported != m.TYPE_ONLY for export in self.facts.exports)

    @property
    def calls(self) -> dict[str, list[int]]:
        """Call expressions by the name of what they call."""
        if self._by_called is None:
            self._by_called = {}
            for index, row in enumerate(self.expressions):
                if row[0] in (m.CALL, m.NEW) and row[2] and (name := self.called(row[1])):
                    self._by_called.setdefault(name, []).append(index)
        return self._by_called

    def called(self, callee: int) -> str:
        row = self.expressions[callee]
        if row[0] == m.MEMBER:
            return str(row[2])
        if row[0] == m.NAME:
            binding = self.bindings[row[1]]
            if binding.kind == m.IMPORTED and binding.more[1] not in ("*", "default"):
                return str(binding.more[1])
            return binding.name
        return str(row[1]) if row[0] == m.GLOBAL else ""

    def called_by(self, function: int) -> tuple[str, bool]:
        """The name by which a function is called (of a constructor its class's), and whether in other files, too."""
        row = self.functions[function]
        node = self.facts.nodes[row.node]
        name = self.classes[row.this[1]].name if row.flags & m.CONSTRUCTOR else node.name
        return name, node.public or node.kind == "method"

    def functions_of(self, values: Iterable[int]) -> list[int]:
        """Those of some expressions that are functions."""
        rows = [self.expressions[value] for value in values]
        return [row[1] for row in rows if row[0] == m.FUNCTION]

    def owner(self, code: int, index: int) -> int:
        """The binding that an object literal, class or function is a value of, or -1."""
        if self._owners is None:
            self._owners = {}
            for number, binding in enumerate(self.bindings):
                for value in binding.values:
                    row = self.expressions[value]
                    if row[0] == m.OBJECT:
                        self._owners.setdefault((m.OBJECT, value), number)
                    elif row[0] in (m.CLASS, m.FUNCTION):
                        self._owners[row[0], row[1]] = number  # the name it has inside itself comes before
        return self._owners.get((code, index), -1)

    @property
    def placed(self) -> tuple[dict[int, tuple[int, str]], dict[int, Placed]]:
        """Functions by the object literal and the name they have in it, and where object literals stand."""
        if self._placed is None:
            methods: dict[int, tuple[int, str]] = {}
            # later ones win: `const a: A = (b.c = {…})` has to be an A
            every: list[tuple[int, Placed]] = [
                (value, ("stored", member, 0)) for value, member in self.facts.stored.items()
            ]
            for index, row in enumerate(self.expressions):
                code = row[0]
                if code == m.OBJECT:
                    for name, value, _, _ in row[1]:
                        inner = self.expressions[value]
                        if inner[0] == m.FUNCTION:
                            methods[inner[1]] = index, name
                        else:
                            every.append((value, ("member", index, name)))
                elif code in (m.CALL, m.NEW):
                    every += [(argument, ("argument", index, number)) for number, argument in enumerate(row[2])]
                elif code in (m.ARRAY, m.CHOICE):
                    how = "element" if code == m.ARRAY else "choice"
                    every += [(value, (how, index, 0)) for value in row[1]]
                elif code == m.CAST:
                    every.append((row[1], ("type", row[2], 0)))
            for index, function in enumerate(self.functions):
                every += [(value, ("result", index, 0)) for value in function.returns]
                every += [(default, ("type", type_, 0)) for _, type_, default in function.parameters if type_]
            for binding in self.bindings:
                if binding.type:
                    every += [(value, ("type", binding.type, 0)) for value in binding.values]
            for klass in self.classes:
                every += [(value, ("type", type_, 0)) for _, _, _, value, type_, _ in klass.members if type_]
            every += [(value, ("type", type_, 0)) for value, type_ in self.facts.satisfied.items()]
            codes = self.expressions
            self._placed = methods, {value: place for value, place in every if codes[value][0] in _PLACED}
        return self._placed

    @property
    def returned(self) -> dict[int, int]:
        """Functions by the function that returns them as they are written."""
        if self._returned is None:
            self._returned = {}
            for index, function in enumerate(self.functions):
                rows = [self.expressions[value] for value in function.returns]
                parts = [part for row in rows if row[0] == m.CHOICE for part in row[1]]
                self._returned |= dict.fromkeys(self.functions_of((*function.returns, *parts)), index)
        return self._returned

    def home(self, node: int) -> str:
        """The definition that others look at when they look at the content of one: the function of a class that it is
        or stands in, else the outermost one that has a name."""
        found = self._homes.get(node)
        if found is None:
            if self._members is None:
                self._members = m.members_around(self.facts.nodes)
            around = self._members[node]
            found = self._homes[node] = self.keys[around] if around >= 0 else m.content(self.keys[node])
        return found


def methods(file: File) -> dict[str, list[str]]:
    """Keys of the methods that have a body, by name."""
    found: dict[str, list[str]] | None = file.memo.get("methods")
    if found is None:
        found = file.memo["methods"] = {}
        written = {function.node for function in file.functions}
        for index, node in enumerate(file.facts.nodes):
            above = file.keys[index].rpartition(".")[0].rpartition(".")[2]
            # what is put into the language's own classes is as much theirs as what they have
            is_lent = above in builtins.GLOBALS and file.facts.nodes[node.parent].kind != "class"
            if node.kind == "method" and index in written and not is_lent:
                found.setdefault(node.name, []).append(file.keys[index])
    return found


class Files:
    """Files by path; the least recently used are forgotten."""

    def __init__(self, world: World, decode: Callable[[str, bytes], File]) -> None:
        self._world = world
        self._decode = decode
        self._files: OrderedDict[str, File] = OrderedDict()

    def __getitem__(self, path: str) -> File:
        file = self._files.get(path)
        if file is None:
            if len(self._files) == _KEPT:
                self._files.popitem(last=False)
            file = self._files[path] = self._decode(path, self._world.facts(path))
        elif len(self._files) == _KEPT:
            self._files.move_to_end(path)
        return file
