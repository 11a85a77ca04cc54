"""From what a callee may be to the definitions that a call runs."""

from __future__ import annotations

from typing import Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import affixed, builtins, guards, members, overloads
from everdex.graph.javascript import values as v
from everdex.graph.javascript.engine import FUEL, Engine
from everdex.graph.javascript.files import File, methods
from everdex.graph.javascript.found import Found
from everdex.graph.javascript.handed import implementing
from everdex.graph.javascript.heirs import functions, heirs, replacing, running
from everdex.graph.javascript.slots import Slot
from everdex.graph.javascript.values import Value
from everdex.graph.model import OVERLOADS, Status, Target

_MAX_NAMESAKES: Final = 3
MAX_TARGETS: Final = 64


def _made_of(value: Value) -> Value:
    """What something is an instance of: by super(…) that is called."""
    return ({v.INSTANCE: v.CLASS, v.MADE: v.FUNCTION}.get(value[0], value[0]), *value[1:3])


class Callees:
    """Finds what calls call."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._loose: dict[tuple[str, int], list[int]] = {}
        self._meant: dict[tuple[object, ...], tuple[list[tuple[str, int]], set[str]]] = {}  # and what was looked at

    def answer(self, found: Found) -> tuple[Status, tuple[Target, ...], str]:
        if found.targets:
            targets = tuple(
                Target(path, self._engine.files[path].keys[node]) for path, node in list(found.targets)[:MAX_TARGETS]
            )
            if found.cut or len(found.targets) > MAX_TARGETS:
                return Status.AMBIGUOUS, targets, "too many candidates"
            if found.doubt:
                return Status.AMBIGUOUS, targets, found.doubt
            return Status.RESOLVED, targets, ""
        if found.outside and not found.lost:
            return Status.EXTERNAL, tuple(Target("", name) for name in list(found.outside)[:MAX_TARGETS]), ""
        return Status.UNRESOLVED, (), found.reason or "unknown value"

    def call(self, file: File, call: int) -> Found:
        """What a call calls."""
        _, callee, arguments = file.expressions[call]
        found = self._call(file, callee, arguments)
        behind = -1 if found.targets else self._behind(file, file.expressions[callee])
        if behind >= 0 and (again := self._call(file, behind, arguments)).targets:
            return again
        return found

    def _behind(self, file: File, row: m.Row) -> int:
        """What a cast is of, or the member that a name was taken from: its declaration says what is called."""
        if row[0] == m.CAST:
            return int(row[1]) or -1
        values = self._engine.touch_name(file, row[1]).values if row[0] == m.NAME else []
        return values[0] if len(values) == 1 and file.expressions[values[0]][0] == m.MEMBER else -1

    def _call(self, file: File, callee: int, arguments: list[int]) -> Found:
        found = Found(asked=(file, arguments))
        row = file.expressions[callee]
        if row[0] == m.MEMBER and not self._engine.is_whole(file, row):
            for receiver in guards.receivers(self._engine, file, row[1], row[2], FUEL):
                self._member_call(receiver, row[2], found)
        else:
            values = self._engine.evaluate(file, callee, FUEL)
            stated = self._is_stated(file, row)
            for value in overloads.meant(self._engine, file, arguments, values, FUEL):
                if stated and value[0] == v.EXTERNAL:
                    found.unknown("function type only")
                else:
                    self._called(_made_of(value) if row[0] == m.SUPER else value, found)
            for value in () if found.targets else values:
                for function in functions(self._engine, value, FUEL):
                    if not self._wraps(file, row, function):
                        self._called(function, found)
        for slot, receiver in found.computed:
            self._slot_call(slot, receiver, found)
            found.doubt = "computed name"
        if len(found.targets) > 1 and self._are_overloads(list(found.targets)):
            found.doubt = OVERLOADS
        return found

    def _wraps(self, file: File, row: m.Row, function: Value) -> bool:
        """Whether a function is returned by the one that is given what is called: it stands around that, and is another
        of its type."""
        if row[0] != m.NAME or function[1] != file.path or function[2] not in file.returned:
            return False
        return file.home(file.functions[function[2]].node) == file.bindings[row[1]].home

    def _is_stated(self, file: File, row: m.Row) -> bool:
        """Whether all that is known of a name is the type of a parameter: of one from outside, a function of the root
        may be what it holds."""
        if row[0] != m.NAME:
            return False
        binding = self._engine.touch_name(file, row[1])
        if binding.kind == m.PARAMETER_NAME and binding.type:
            return True
        for value in self._loose_values(file, row[1], binding):
            inner = file.expressions[value]
            while inner[0] == m.MEMBER:  # taken out of it by a pattern
                inner = file.expressions[inner[1]]
            if inner[0] == m.PARAMETER:
                self._engine.touch(file, file.home(file.functions[inner[1]].node))
                if self._engine.touch_takes(file, inner[1], inner[2]).parameters[inner[2]][1]:
                    return True
        return False

    def _loose_values(self, file: File, index: int, binding: m.Binding) -> list[int]:
        """What a name holds beside the functions that are written there."""
        asked = file.path, index
        if asked not in self._loose:
            values = binding.values if binding.kind != m.IMPORTED else []
            self._loose[asked] = [value for value in values if file.expressions[value][0] != m.FUNCTION]
        return self._loose[asked]

    def _are_overloads(self, nodes: list[tuple[str, int]]) -> bool:
        """Whether these only declare, and two of them the same."""
        files = self._engine.files
        return all(overloads.at(self._engine, files[path], node) for path, node in nodes) and any(
            len(each) > 1 for each in overloads.sets(self._engine, nodes)
        )

    def meant(self, file: File, arguments: list[int], nodes: list[tuple[str, int]]) -> list[tuple[str, int]]:
        """Without those signatures that a call with these arguments cannot mean, worked out once for those with
        the same ones."""
        engine = self._engine
        given = (
            m.SPREAD if file.expressions[each][0] == m.SPREAD else engine.evaluate(file, each, FUEL - 1)
            for each in arguments
        )
        asked = tuple(nodes), *given
        known = self._meant.get(asked)
        if known is None:
            outer, engine.reads = engine.reads, set()
            known = self._meant[asked] = self._fitting(file, arguments, nodes), engine.reads
            engine.reads = outer
        engine.reads |= known[1]
        return known[0]

    def _fitting(self, file: File, arguments: list[int], nodes: list[tuple[str, int]]) -> list[tuple[str, int]]:
        kept: list[tuple[str, int]] = []
        for each in overloads.sets(self._engine, nodes):
            found = [(overloads.at(self._engine, self._engine.files[path], node), (path, node)) for path, node in each]
            signed = {signature.value: place for signature, place in found if signature}
            fits = overloads.fitting(self._engine, file, arguments, list(signed), FUEL) if len(signed) > 1 else ()
            kept += [signed[value] for value in fits] or each
        return kept

    def _member_call(self, receiver: Value, name: str, found: Found) -> None:
        if receiver[0] == v.UNKNOWN:
            self._called(receiver, found)
            return
        slots = members.find(self._engine, receiver, name, FUEL)
        if not slots and receiver[0] != v.HOLDER:
            found.impossible("no such member")
        declared = [slot for slot in slots if slot.kind in ("t", "a")]
        if declared:
            self._declared(declared, receiver, name, found)
        for slot in slots:
            if slot.kind == "c":
                found.computed += ((slot, receiver),)
            elif slot.kind not in ("t", "a", "d"):
                self._slot_call(slot, receiver, found)
        if receiver[0] in (v.INSTANCE, v.MADE) and v.EXACT not in receiver[3:] and not declared:
            self._replaced(receiver, name, slots, found)

    def _replaced(self, receiver: Value, name: str, slots: tuple[Slot, ...], found: Found) -> None:
        """What classes below run in place of a method."""
        if name[:1] == "#" or not any(slot.kind == "f" for slot in slots):
            return
        below = replacing(self._engine, receiver, name, FUEL)
        found.doubt = found.doubt or below.doubt
        for value in below.values:
            self._called(value, found)

    def _slot_call(self, slot: Slot, receiver: Value, found: Found) -> None:
        values = members.slot_values(self._engine, slot, receiver, FUEL - 1)
        before = len(found.targets) + len(found.outside)
        for value in values:
            self._called(value, found)
        if len(found.targets) + len(found.outside) == before and slot.node >= 0:
            # a field that holds a function of which only the type is known: the field itself is what can be named
            found.targets[slot.path, slot.node] = None

    def _declared(self, slots: list[Slot], receiver: Value, name: str, found: Found) -> None:
        """A method that is only declared: those that implement it, or the declaration where none does."""
        declared = {(slot.path, slot.node) for slot in slots}
        below = heirs(self._engine, receiver, FUEL)
        literals = implementing(self._engine, below.types, name, FUEL)
        below = below._replace(values=(*below.values, *literals.values), doubt=below.doubt or literals.doubt)
        below = running(self._engine, below, name, declared, FUEL)
        found.doubt = found.doubt or below.doubt
        before = len(found.targets)
        for value in below.values:
            self._called(value, found)
        if len(found.targets) > before:
            if below.lost:
                found.unknown(below.lost)
            return
        nodes = [(slot.path, slot.node) for slot in slots if slot.node >= 0]
        if len(nodes) > 1 and found.asked is not None:
            nodes = self.meant(*found.asked, nodes)
        found.targets |= dict.fromkeys(nodes)
        for slot in slots:
            if slot.node < 0:
                for value in members.slot_values(self._engine, slot, receiver, FUEL - 1):
                    self._called(value, found)

    def _called(self, value: Value, found: Found) -> None:
        kind = value[0]
        if kind == v.FUNCTION:
            found.targets[value[1], self._engine.files[value[1]].functions[value[2]].node] = None
        elif kind == v.CLASS:
            self._construct(value, found)
        elif kind == v.METHOD:
            if value[1] == "Function" and value[2] in ("call", "apply"):
                self._called(value[3], found)
            else:
                found.outside[f"{value[1]}.{value[2]}"] = None
        elif kind == v.AFFIXED:
            for function in affixed.functions(self._engine, value, FUEL):
                self._called(function, found)
        elif kind == v.EXTERNAL:
            found.outside[value[1]] = None
        elif kind == v.UNKNOWN:
            found.cut = found.cut or value == v.MANY
            found.unknown(value[1])
        elif kind in (v.CALLABLE, v.TYPED):
            found.unknown("function type only")
        elif kind != v.HOLDER:
            found.impossible("not a function")

    def _construct(self, value: Value, found: Found) -> None:
        """What runs when a class is: its constructor or the one it inherits, else the class stands for both."""
        slots = members.find(self._engine, (v.INSTANCE, *value[1:]), "constructor", FUEL)
        nodes = [(slot.path, slot.node) for slot in slots if slot.node >= 0 and slot.kind in ("f", "a")]
        if len(nodes) > 1 and found.asked is not None:
            nodes = self.meant(*found.asked, nodes)
        found.targets |= dict.fromkeys(nodes or [(value[1], self._engine.files[value[1]].classes[value[2]].node)])

    def namesakes(self, name: str) -> tuple[Target, ...]:
        """The methods of a name, where few enough have it that the name alone is evidence."""
        if name in builtins.COMMON_METHODS:
            return ()
        paths = self._engine.offering_few(f"js:method:{name}", _MAX_NAMESAKES) or ()
        found = [Target(path, key) for path in paths for key in methods(self._engine.files[path]).get(name, ())]
        return tuple(found) if len(found) <= _MAX_NAMESAKES else ()
