"""From what an expression may be to the definitions that a site means."""

from __future__ import annotations

from typing import Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import guards, literals, members
from everdex.graph.javascript import values as v
from everdex.graph.javascript.callees import Callees
from everdex.graph.javascript.engine import FUEL, Engine
from everdex.graph.javascript.exports import Place, locate
from everdex.graph.javascript.files import File
from everdex.graph.javascript.found import Found
from everdex.graph.javascript.heirs import heirs
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value, Values

_MAX_DECLARED: Final = 1_000  # functions of one name in one scope; a call may mean more, and says so
# what a file asks for the same properties again and again
_MANY_TIMES: Final = frozenset((v.INSTANCE, v.CLASS, v.TYPED, v.OBJECT, v.ENUM))


class Finder(Callees):
    """Finds definitions for the sites of one file: what was worked out once is not looked up again in it."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._redeclared: dict[tuple[str, int], dict[tuple[str, int], None]] = {}  # all that one name is declared as
        self._properties: dict[tuple[Value, str, bool], tuple[Found, set[str]]] = {}  # and what was looked at

    def reference(self, file: File, index: int, written: bool = False) -> Found:
        """The definition that an expression names; an accessor is the one for reading or for writing."""
        found = Found()
        row = file.expressions[index]
        if row[0] == m.NAME:
            self._binding(file, row[1], found)
        elif row[0] == m.MEMBER:
            self._member(file, row, written, found)
        elif row[0] in (m.REQUIRE, m.IMPORT):
            self._import(file, row[1], "*", found)
        else:
            for value in self._engine.evaluate(file, index, FUEL):
                self.definition(value, found)
        return found

    def _binding(self, file: File, index: int, found: Found) -> None:
        binding = self._engine.touch_name(file, index)
        if binding.kind != m.IMPORTED:
            if binding.node >= 0:
                self._bound(file, index, found)
            else:
                for value in self._engine.binding(file, index, FUEL):
                    self.definition(value, found)
                if not found.targets and binding.values and file.expressions[binding.values[0]][0] == m.REQUIRE:
                    found.add(self.reference(file, binding.values[0]))  # the object that a module is made of
            return
        specifier, name = binding.more
        self._import(file, specifier, name, found)

    def _import(self, file: File, specifier: str, name: str, found: Found) -> None:
        path, outside = self._engine.modules.find(file.path, specifier, self._engine.reads)
        if path and name == "*":
            found.targets[path, 0] = None
        elif path:
            self._exported(path, name, found)
        elif outside:
            found.outside[outside if name in ("*", "default") else f"{outside}.{name}"] = None
        else:
            found.unknown("missing import")

    def _bound(self, file: File, index: int, found: Found) -> None:
        """What a name is bound to: its definition, and of a function that is declared more than once every one."""
        binding = file.bindings[index]
        found.targets[file.path, binding.node] = None
        if binding.kind == m.DECLARED_FUNCTION and len(binding.values) > 1:
            asked = file.path, index
            if asked not in self._redeclared:
                rows = (file.expressions[value] for value in binding.values[: _MAX_DECLARED + 1])
                places = [(file.path, file.functions[row[1]].node) for row in rows if row[0] == m.FUNCTION]
                self._redeclared[asked] = dict.fromkeys(places[:_MAX_DECLARED])
            found.targets |= self._redeclared[asked]
            found.cut = found.cut or len(binding.values) > _MAX_DECLARED

    def _exported(self, path: str, name: str, found: Found) -> None:
        places = locate(self._engine, path, name)
        for place in places:
            self._place(place, found)
        if not places:
            for value in self._engine.export(path, name, FUEL):
                self.definition(value, found)

    def _place(self, place: Place, found: Found) -> None:
        kind, path, index = place
        if kind == "module":
            found.targets[path, 0] = None
        elif kind == "external":
            found.outside[path] = None
        elif kind != "value":
            found.unknown("missing import" if kind == "missing" else "too many candidates")
        else:
            file = self._engine.files[path]
            row = file.expressions[index]
            if row[0] == m.NAME and file.bindings[row[1]].node >= 0:
                self._engine.touch_name(file, row[1])
                self._bound(file, row[1], found)
                return
            before = len(found.targets)
            for value in self._engine.evaluate(file, index, FUEL):
                self.definition(value, found)
            if len(found.targets) == before:
                found.targets[path, 0] = None

    def _member(self, file: File, row: m.Row, written: bool, found: Found) -> None:
        name = row[2]
        base = file.expressions[row[1]]
        if base[0] in (m.REQUIRE, m.NAME):
            for value in self._engine.evaluate(file, row[1], FUEL):
                if value[0] == v.MODULE:
                    self._exported(value[1], name, found)
            if found.targets:
                return
        if not self._engine.is_offered(f"js:member:{name.removeprefix('#')}"):
            return
        for receiver in guards.receivers(self._engine, file, row[1], name, FUEL):
            if receiver[0] not in _MANY_TIMES:
                self._property(receiver, name, written, found)
                continue
            asked = receiver, name, written
            known = self._properties.get(asked)
            if known is None:
                outer, self._engine.reads = self._engine.reads, set()
                known = self._properties[asked] = Found(), self._engine.reads
                self._property(receiver, name, written, known[0])
                self._engine.reads = outer
            self._engine.reads |= known[1]
            found.add(known[0])

    def _property(self, receiver: Value, name: str, written: bool, found: Found) -> None:
        """The definitions that a property of one value names."""
        found.cut = found.cut or receiver == v.MANY
        for slot in members.find(self._engine, receiver, name, FUEL):
            if slot.kind in ("g" if written else "s", "c"):
                continue
            if slot.node >= 0:
                found.targets[slot.path, slot.node] = None
                found.accessor = found.accessor or slot.kind in ("g", "s")
                self._beside(slot, receiver, name, written, found)
            else:
                for value in members.slot_values(self._engine, slot, receiver, FUEL - 1):
                    self.definition(value, found)
        if receiver[0] == v.OBJECT:
            declared, sure = literals.written(self._engine, self._engine.files[receiver[1]], receiver[2], name)
            found.targets |= dict.fromkeys(declared)
            found.doubt = found.doubt if sure or not declared else "several types fit"

    def _beside(self, slot: Slot, receiver: Value, name: str, written: bool, found: Found) -> None:
        """What a property means beside its own definition: what it holds, or what implements it."""
        engine = self._engine
        if engine.files[slot.path].facts.nodes[slot.node].kind != "property":
            return
        if receiver[0] == v.OBJECT:
            holds = Found()
            for value in members.slot_values(engine, slot, receiver, FUEL - 1):
                self.definition(value, holds)
            found.held += tuple(holds.targets)
        elif receiver[0] == v.TYPED:
            below = heirs(engine, receiver, FUEL)
            found.doubt = found.doubt or below.doubt
            for heir in below.values:
                for inner in members.find(engine, heir, name, FUEL):
                    if inner.kind == ("s" if written else "g"):
                        found.run += ((inner.path, inner.node),)
                    elif inner.kind == "f" and self._is_data(inner):
                        found.targets[inner.path, inner.node] = None

    def _is_data(self, slot: Slot) -> bool:
        return slot.node >= 0 and self._engine.files[slot.path].facts.nodes[slot.node].kind in ("field", "property")

    def is_export(self, file: File, index: int) -> bool:
        """`exports.name`, `module.exports` and what is below it."""
        row = file.expressions[index]
        while row[0] == m.MEMBER:
            row = file.expressions[row[1]]
        return bool(row[0] == m.GLOBAL and row[1] in ("exports", "module"))

    def nowhere(self, file: File, index: int, found: Found) -> Found:
        """Why something that is written is no definition of the project."""
        row = file.expressions[index]
        if row[0] != m.MEMBER:
            return found
        lost = Found()
        for receiver in self._engine.evaluate(file, row[1], FUEL):
            if receiver[0] == v.EXTERNAL:
                lost.outside[f"{receiver[1]}.{row[2]}"] = None
            elif receiver[0] == v.UNKNOWN:
                lost.unknown(receiver[1])
            else:
                lost.unknown("no such member")
        return lost

    def definition(self, value: Value, found: Found) -> None:
        """The definition that a value is."""
        kind = value[0]
        if kind in (v.FUNCTION, v.CLASS, v.NAMED_TYPE, v.ENUM):
            file, index = self._engine.files[value[1]], value[2]
            if kind == v.FUNCTION:
                node = file.functions[index].node
            else:
                node = file.classes[index].node if kind == v.CLASS else file.interfaces[index].node
            if node >= 0:
                found.targets[value[1], node] = None
        elif kind == v.MODULE:
            found.targets[value[1], 0] = None
        elif kind == v.EXTERNAL:
            found.outside[value[1]] = None
        elif kind == v.UNKNOWN:
            found.unknown(value[1])

    def functions(self, file: File, index: int) -> Values:
        """The functions of the project that an argument may be."""
        if file.expressions[index][0] not in (m.FUNCTION, m.NAME, m.MEMBER):
            return ()
        return tuple(value for value in self._engine.evaluate(file, index, FUEL) if value[0] == v.FUNCTION)
