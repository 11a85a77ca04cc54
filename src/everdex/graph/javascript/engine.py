"""Evaluates JavaScript and TypeScript expressions: what a value may be, one question at a time, to a bounded depth.

As in Python's engine, an answer depends on the question and its fuel alone. One that was reached without running out
holds for any larger amount; so nothing depends on the order of the questions. Each answer carries the keys it was read
from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import affixed, applied, builtins, calls, guards, members, parameters, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.bound import lacks
from everdex.graph.javascript.exports import Place, locate
from everdex.graph.javascript.files import File, Files
from everdex.graph.javascript.keys import def_key, export_key, kind_key, literals_key, name_key, takes_key
from everdex.graph.javascript.modules import Modules
from everdex.graph.javascript.values import Value, Values
from everdex.graph.model import World, more_key

FUEL: Final = 56
JUMP: Final = 4  # through a name, a call, a type; a step inside an expression costs 1
_LARGE_FUEL: Final = 16
_OWNED: Final = {v.OBJECT: m.OBJECT, v.FUNCTION: m.FUNCTION, v.CLASS: m.CLASS}


class Engine:
    """Evaluates in one world."""

    def __init__(self, world: World, decode: Callable[[str, bytes], File] = File) -> None:
        self.world = world
        self.files = Files(world, decode)
        self.modules = Modules(world)
        self.reads: set[str] = set()
        self._cut = False
        self._low = FUEL

    # -- asking ---------------------------------------------------------------------------------

    def remember(self, file: File, key: Any, fuel: int, work: Callable[..., Any], *arguments: Any) -> Any:
        """`work(…, fuel)`, or what it gave before; without fuel, that it is too deep."""
        if file.large:
            fuel = min(fuel, _LARGE_FUEL)
        found = file.memo.get(key)
        if found is None or fuel <= found[0]:  # its last step needs something left
            found = file.memo.get((key, fuel))
        if found is not None:
            height, answer, reads, cut = found
            self.reads |= reads
            self._cut = self._cut or cut
            self._low = min(self._low, fuel - height)
            return answer
        if fuel <= 0:
            return self.exhausted()
        outer_reads, outer_cut, outer_low = self.reads, self._cut, self._low
        self.reads, self._cut, self._low = set(), False, fuel
        answer = work(*arguments, fuel)
        height, reads = fuel - self._low, frozenset(self.reads)
        file.memo[(key, fuel) if self._cut else key] = (height, answer, reads, self._cut)
        self.reads = outer_reads
        self.reads |= reads
        self._cut = self._cut or outer_cut
        self._low = min(self._low, outer_low)
        return answer

    def came_to(self, fuel: int) -> None:
        """So much was left when something was looked at that needs any."""
        if fuel < self._low:
            self._low = fuel

    def exhausted(self) -> Values:
        """Whatever is being worked out has run out of fuel: the answer holds for this much of it only."""
        self._cut = True
        return (v.DEEP,)

    def evaluate(self, file: File, index: int, fuel: int) -> Values:
        """What an expression may be."""
        row = file.expressions[index]
        code = row[0]
        if fuel <= 0:
            return self.exhausted()
        self.came_to(fuel)
        if code in (m.CALL, m.MEMBER, m.NEW):
            answer: Values = self.remember(file, index, fuel, _CODES[code], self, file, index, row)
            return answer
        return _CODES[code](self, file, index, row, fuel)

    def touch(self, file: File, home: str) -> None:
        """Something of the content of this definition is being looked at."""
        self.reads.add(def_key(file.path, home))

    def touch_takes(self, file: File, function: int, *places: int) -> m.Function:
        """What a function takes at these places is being looked at; without any, all of it."""
        row = file.functions[function]
        self.reads.update([takes_key(file.path, file.home(row.node), place) for place in places or (-1,)])
        return row

    def touch_name(self, file: File, binding: int) -> m.Binding:
        """What a name is bound to is being looked at."""
        row = file.bindings[binding]
        self.reads.add(name_key(file.path, row))
        return row

    def look_at_literals(self, file: File, literal: int) -> None:
        """Where an object literal stands matters; those of one definition have one key."""
        self.reads.add(literals_key(file.path, file.expressions[literal][3]))

    # -- names ----------------------------------------------------------------------------------

    def binding(self, file: File, index: int, fuel: int) -> Values:
        answer: Values = self.remember(file, ("b", index), fuel, self._binding, file, index)
        return answer

    def _binding(self, file: File, index: int, fuel: int) -> Values:
        binding = self.touch_name(file, index)
        if binding.kind == m.IMPORTED:
            return self.imported(file, binding.more[0], binding.more[1], fuel)
        if binding.kind == m.TYPE:
            classes = v.union(self.evaluate(file, value, fuel - 1) for value in binding.values)
            return (*classes, *((v.NAMED_TYPE, file.path, number) for number in binding.more))
        if binding.kind == m.GENERIC:
            return v.unknown("type parameter")
        given = v.union(self.evaluate(file, value, fuel - 1) for value in binding.values)
        if binding.type:
            given = types.agreed(given, types.of(self, file, binding.type, fuel - 1))
        if any(name for name, _ in binding.properties) and not any(self._is_owned(file, index, one) for one in given):
            given = v.union((given, ((v.HOLDER, file.path, index),)))
        return given or v.unknown("never assigned")

    @staticmethod
    def _is_owned(file: File, binding: int, value: Value) -> bool:
        """Whether a value is looked up with what was stored on this name."""
        code = _OWNED.get(value[0])
        return code is not None and value[1] == file.path and file.owner(code, value[2]) == binding

    def imported(self, file: File, specifier: str, name: str, fuel: int) -> Values:
        path, outside = self.modules.find(file.path, specifier, self.reads)
        if path:
            if name == "*":
                return self.whole(path, fuel)
            return self.export(path, name, fuel - JUMP)
        if outside:
            return ((v.EXTERNAL, outside if name in ("*", "default") else f"{outside}.{name}"),)
        return v.unknown("missing import")

    def module(self, file: File, specifier: str, fuel: int) -> Values:
        return self.imported(file, specifier, "*", fuel)

    def whole(self, path: str, fuel: int) -> Values:
        """A module as a value: what CommonJS assigned to it, and its exports."""
        file = self.files[path]
        self.reads |= {export_key(path, "="), kind_key(path)}
        assigned = [export.value for export in file.exports.get("=", ())]
        if not assigned:
            return ((v.MODULE, path),)
        given = v.union(self.evaluate(file, value, fuel - JUMP) for value in assigned)
        return v.union((given, ((v.MODULE, path),))) if file.has_parts else given

    def export(self, path: str, name: str, fuel: int) -> Values:
        answer: Values = self.remember(self.files[path], ("x", name), fuel, self._export, path, name)
        return answer

    def _export(self, path: str, name: str, fuel: int) -> Values:
        found = locate(self, path, name)
        if not found:
            self.reads |= {export_key(path, "="), kind_key(path)}
            assigned = self.files[path].exports.get("=", ())
            if name == "default":  # what was a module with exports is built into one that is an object of them
                return self.whole(path, fuel)
            if assigned:
                given = tuple(value for value in self.whole(path, fuel) if value != (v.MODULE, path))
                return v.union(members.get(self, value, name, fuel - 1) for value in given)
            return v.unknown("no such export")
        return v.union(self.at(place, fuel) for place in found)

    def at(self, place: Place, fuel: int) -> Values:
        """What stands at the end of a chain of exports."""
        kind, path, index = place
        if kind == "module":
            return self.whole(path, fuel)
        if kind == "external":
            return ((v.EXTERNAL, path),)
        if kind == "missing":
            return v.unknown("missing import")
        if kind == "many":
            return (v.MANY,)
        return self.evaluate(self.files[path], index, fuel - 1)

    def of_package(self, file: File, row: m.Row, fuel: int) -> Values:
        """What another file has under a name of the package that both describe (`declare module "package"`)."""
        for package in row[2:]:
            path, _ = self.modules.find(file.path, package, self.reads)
            if path and locate(self, path, row[1]):
                return v.known(self.export(path, row[1], fuel - JUMP))
        return v.NOTHING

    def global_name(self, name: str, fuel: int) -> Values:
        if name in builtins.GLOBALS:
            return ((v.EXTERNAL, name),)
        if name == "arguments":
            return ((v.ARRAY, ()),)
        return self.declared_global(name, fuel) or v.unknown("undefined name")

    def is_offered(self, key: str) -> bool:
        """Whether any file offers a key, by who does not mind which."""
        self.reads.add(more_key(key, 0))
        return bool(self.world.offering(key))

    def offering_few(self, key: str, most: int) -> Sequence[str] | None:
        """The files that offer a key; None when there are more (one of `LIMITS`), and then it does not matter which."""
        files = self.world.offering(key)
        is_few = len(files) <= most
        self.reads.add(key if is_few else more_key(key, most))
        return files if is_few else None

    def declared_global(self, name: str, fuel: int) -> Values:
        """What the scripts and ambient declarations of the root say of a name that every file knows."""
        key = f"js:global:{name}"
        self.reads.add(key)
        paths = self.world.offering(key)[: v.MAX_VALUES]
        return v.union(
            self.binding(file, index, fuel - JUMP)
            for file in map(self.files.__getitem__, paths)
            for index in file.facts.globals.get(name, ())
        )

    # -- expressions ----------------------------------------------------------------------------

    def free(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        if row[1] == "exports":
            self.reads.add(kind_key(file.path))
        if found := self.of_package(file, row, fuel):
            return found
        own = row[1] == "exports" and file.exports and not file.facts.module
        return ((v.MODULE, file.path),) if own else self.global_name(row[1], fuel)

    def member(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        if self.is_whole(file, row):
            return self.whole(file.path, fuel - 1)
        asked = guards.receivers(self, file, row[1], row[2], fuel - 1)
        had = [members.get(self, value, row[2], fuel - 1) for value in asked]
        if len(had) > 1:  # what cannot have it is not what is meant, if anything else is
            had = [values for values in self._declared(asked, had) if values != members.NO_SUCH] or had
        found = v.union(had)
        return applied.member(self, file, row, found, fuel) if lacks(found) else found

    @staticmethod
    def _declared(asked: Values, had: list[Values]) -> list[Values]:
        """What each of some values has under a name: where a type says what that is, a literal of which nobody knows
        what it has there is no reason to doubt it."""
        if not any(value[0] == v.TYPED and v.known(values) for value, values in zip(asked, had, strict=True)):
            return had
        return [v.known(values) if value[0] == v.OBJECT else values for value, values in zip(asked, had, strict=True)]

    def is_whole(self, file: File, row: m.Row) -> bool:
        """`module.exports` of the file itself."""
        if row[2] != "exports" or file.expressions[row[1]] != (m.GLOBAL, "module"):
            return False
        self.reads.add(kind_key(file.path))
        return bool(file.exports)

    def array(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        parts = row[1]
        if len(parts) <= 8 and not any(file.expressions[part][0] == m.SPREAD for part in parts):
            return ((v.TUPLE, tuple(self.evaluate(file, part, fuel - 1) for part in parts)),)
        return ((v.ARRAY, v.union(self.evaluate(file, part, fuel - 1) for part in parts[:64])),)

    def cast(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        given = self.evaluate(file, row[1], fuel - 1) if row[1] else v.NOTHING
        declared = types.of(self, file, row[2], fuel - 1)
        return declared if types.narrows(self, given, declared, fuel - 1) else types.agreed(given, declared)

    def elements(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        """What somebody comes by who goes through something."""
        given = self.evaluate(file, row[1], fuel - 1)
        return v.elements(v.union(types.as_container(self, value, fuel - 1) for value in given))

    def item(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        given = self.evaluate(file, row[1], fuel - 1)
        return v.union(v.item(value, row[2]) for value in given) if row[2] >= 0 else self._any(given, fuel)

    def _any(self, values: Values, fuel: int) -> Values:
        """What may stand under a key of which nothing is known: of a table that is written out all that it has, and
        what else may be there."""
        tables = [calls.contents(self, value, fuel) for value in values if value[0] == v.OBJECT]
        return v.union((*tables, *(v.item(value, -1) for value in values)))

    def keyed(self, file: File, index: int, row: m.Row, fuel: int) -> Values:
        """What stands under a key that has a name: a property, where that is a symbol; anything, where it varies."""
        given = self.evaluate(file, row[1], fuel - 1)
        if any(_is_symbol(value) for value in self.evaluate(file, row[2], fuel - 1)):
            name = f"[{_symbol_name(file, row[2])}]"
            return v.union(members.get(self, value, name, fuel - 1) for value in given)
        if text := self._text(file, row[2]):
            return v.union(affixed.named(self, value, *text, fuel) or self._any((value,), fuel) for value in given)
        key = file.expressions[row[2]]
        if key[0] == m.NAME and (file.bindings[key[1]].kind == m.IMPORTED or file.bindings[key[1]].node >= 0):
            return v.union(v.item(value, -1) for value in given)
        return self._any(given, fuel)

    def _text(self, file: File, index: int) -> tuple[str, str] | None:
        """How a key that the program puts together begins and ends, where that is written."""
        row = file.expressions[index]
        if row[0] == m.NAME and file.bindings[row[1]].kind == m.VARIABLE:
            values = self.touch_name(file, row[1]).values
            row = file.expressions[values[0]] if len(values) == 1 else (m.UNKNOWN,)
        return (row[1], row[2]) if row[0] == m.TEXT else None

    def this(self, file: File, function: int, fuel: int) -> Values:
        if function < 0:
            return v.unknown("this of the module")
        row = file.functions[function]
        kind, index = row.this
        self.touch(file, file.home(row.node))
        path = file.path
        stated = types.of(self, file, row.receiver, fuel - JUMP) if row.receiver and kind == m.THIS_SELF else v.NOTHING
        if v.known(stated):
            return v.kept(stated)
        if kind == m.THIS_INSTANCE:
            return ((v.INSTANCE, path, index),)
        if kind == m.THIS_STATIC:
            return ((v.CLASS, path, index),)
        if kind == m.THIS_OBJECT:
            return ((v.OBJECT, path, index),)
        if kind == m.THIS_BINDING:
            return self.binding(file, index, fuel - JUMP)
        if kind == m.THIS_PROTOTYPE:
            found = self.binding(file, index, fuel - JUMP)
            return tuple(each[:3] if each[-1] == v.EXACT else each for value in found for each in made(value))
        return ((v.MADE, path, index),) if kind == m.THIS_SELF else v.unknown("this of a caller")

    def super(self, file: File, function: int, fuel: int) -> Values:
        """The base: an instance of it in a method, the class itself in a static one."""
        if function < 0:
            return v.unknown("super outside a class")
        kind, index = file.functions[function].this
        self.touch(file, file.home(file.functions[function].node))
        if kind not in (m.THIS_INSTANCE, m.THIS_STATIC):
            return v.unknown("super outside a class")
        self.touch(file, file.home(file.classes[index].node))
        if not file.classes[index].extends:
            return v.unknown("super outside a class")
        bases = self.evaluate(file, file.classes[index].extends, fuel - JUMP)
        return bases if kind == m.THIS_STATIC else v.union(made(value) for value in bases)


def _is_symbol(value: Value) -> bool:
    return bool(value[0] == v.EXTERNAL and value[1].partition(".")[0] == "Symbol")


def _symbol_name(file: File, index: int) -> str:
    """What a symbol is called where a property is named by it: as it was exported, or as the language has it."""
    row = file.expressions[index]
    base = file.expressions[row[1]] if row[0] == m.MEMBER else (m.UNKNOWN,)
    return f"{base[1]}.{row[2]}" if base[0] == m.GLOBAL else file.called(index)


def made(value: Value) -> Values:
    """What `new` on a value makes."""
    if value[0] == v.CLASS:
        return ((v.INSTANCE, *value[1:], v.EXACT),)
    if value[0] == v.FUNCTION:
        return ((v.MADE, *value[1:], v.EXACT),)
    return (value,) if value[0] in (v.EXTERNAL, v.UNKNOWN, v.HOLDER, v.OBJECT) else v.NOTHING


# One for all engines: a table in an engine would refer to it, and all that it knows would wait for the collector.
_CODES: Final[dict[int, Callable[[Engine, File, int, m.Row, int], Values]]] = {
    m.UNKNOWN: lambda engine, file, index, row, fuel: v.unknown("expression"),
    m.LITERAL: lambda engine, file, index, row, fuel: ((v.EXTERNAL, row[1]),) if row[1] else v.NOTHING,
    m.NAME: lambda engine, file, index, row, fuel: engine.binding(file, row[1], fuel - JUMP),
    m.GLOBAL: Engine.free,
    m.TEXT: lambda engine, file, index, row, fuel: ((v.EXTERNAL, "String"),),
    m.MEMBER: Engine.member,
    m.CALL: lambda engine, file, index, row, fuel: calls.result(engine, file, index, fuel),
    m.NEW: lambda engine, file, index, row, fuel: calls.instance(engine, file, index, fuel),
    m.FUNCTION: lambda engine, file, index, row, fuel: ((v.FUNCTION, file.path, row[1]),),
    m.CLASS: lambda engine, file, index, row, fuel: ((v.CLASS, file.path, row[1]),),
    m.OBJECT: lambda engine, file, index, row, fuel: ((v.OBJECT, file.path, index),),
    m.ARRAY: Engine.array,
    m.THIS: lambda engine, file, index, row, fuel: engine.this(file, row[1], fuel),
    m.SUPER: lambda engine, file, index, row, fuel: engine.super(file, row[1], fuel),
    m.CHOICE: lambda engine, file, index, row, fuel: v.union(
        engine.evaluate(file, part, fuel - 1) for part in row[1]
    ),
    m.AWAIT: lambda engine, file, index, row, fuel: calls.settled(engine.evaluate(file, row[1], fuel - 1)),
    m.CAST: Engine.cast,
    m.ELEMENT: Engine.elements,
    m.REQUIRE: lambda engine, file, index, row, fuel: engine.module(file, row[1], fuel),
    m.IMPORT: lambda engine, file, index, row, fuel: ((v.PROMISE, engine.module(file, row[1], fuel)),),
    m.ITEM: Engine.item,
    m.KEYED: Engine.keyed,
    m.PARAMETER: lambda engine, file, index, row, fuel: parameters.parameter(
        engine, file, row[1], row[2], fuel - JUMP
    ),
    m.SPREAD: Engine.elements,
    m.NAMESPACE: lambda engine, file, index, row, fuel: ((v.NAMESPACE, file.path, row[1]),),
    m.ENUM: lambda engine, file, index, row, fuel: ((v.ENUM, file.path, row[1]),),
}
