"""One file's graph: its definitions, and every place where it names something, with where that leads."""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable
from itertools import islice
from typing import Final

from everdex.facts import javascript_model as m
from everdex.graph.javascript import builtins, literals, members, slots, types
from everdex.graph.javascript import values as v
from everdex.graph.javascript.callees import MAX_TARGETS
from everdex.graph.javascript.engine import FUEL, Engine
from everdex.graph.javascript.files import File
from everdex.graph.javascript.found import Found
from everdex.graph.javascript.hashes import Hashes
from everdex.graph.javascript.keys import own_keys
from everdex.graph.javascript.modules import stem
from everdex.graph.javascript.parts import Again, FileParts
from everdex.graph.javascript.targets import Finder
from everdex.graph.javascript.values import Value
from everdex.graph.model import Dependency, FileGraph, Kept, Node, Role, Site, Status, Target
from everdex.identity.symbols import plain_name
from everdex.parse.headers import one_line

_TEXT_LIMIT: Final = 80
_SIGNATURE_LIMIT: Final = 200
_ARGUMENTS_AHEAD: Final = 40
SHORTHAND: Final = "{ "  # before the text of a site whose one word names a variable and a property
_NAMED: Final = frozenset(("variable", "constant", "field", "property", "member", "method"))
_ROLES: Final = {
    "c": Role.CALL, "n": Role.CALL, "r": Role.REFERENCE, "w": Role.WRITE, "i": Role.IMPORT, "h": Role.INHERIT,
    "d": Role.DECORATE, "R": Role.REFERENCE, "W": Role.WRITE,
}  # fmt: skip


class FileSites:
    """Resolves one file."""

    def __init__(self, engine: Engine, path: str) -> None:
        self._engine = engine
        self._part = 0  # in which sites are being collected
        self._finder = Finder(engine)
        self._named_ones: dict[tuple[tuple[str, int], ...], list[tuple[str, int]]] = {}
        self._file: File = engine.files[path]
        self._data = engine.world.source(path)
        self._lines = [0]
        place = self._data.find(b"\n")
        while place >= 0:
            self._lines.append(place + 1)
            place = self._data.find(b"\n", place + 1)
        self._sites: list[tuple[Site, int]] = []  # each with its part
        self._parts = FileParts(self._file, self._data)
        self._looked: list[set[str]] = [set() for _ in self._parts.nodes]  # by part, what its sites looked at

    def graph(
        self, kept: Kept | None, hashes: Callable[[File], Hashes], writing: Callable[[bytes], bool] | None
    ) -> FileGraph:
        """The file's graph, with the sites of the parts that are as they were in an earlier one."""
        file = self._file
        mentions = m.unpack(file.facts.mentions)
        if kept is not None and kept.same:
            digests = [digest for _, digest in kept.parts]
        else:
            digests = self._parts.digests(hashes(file), mentions)
        again = Again(kept, self._parts, digests, None if writing is None else self._parts.writing(writing))
        nodes = self.nodes()
        self._sites = again.sites_kept(nodes)
        self._mentions(mentions, again.resolved)
        self._overrides(again.resolved)
        self._signatures(again.resolved)
        dependencies = self._dependencies()
        if 0 not in again.resolved:
            self._looked[0] = set()  # as it was
        self._sites.sort(key=lambda item: (item[0].line, item[0].column, item[0].role))
        own = own_keys(file.path)
        return FileGraph(
            nodes, tuple(site for site, _ in self._sites), dependencies,
            frozenset(key for keys in self._looked for key in keys if not key.startswith(own)), _interface(nodes),
            file.facts.partial, again.parts(self._looked, own, tuple(part for _, part in self._sites)),
            waits=again.waits,
        )  # fmt: skip

    def _enter(self, part: int) -> None:
        """What is looked at and found from now on is a part's."""
        self._part = part
        self._engine.reads = self._looked[part]

    # -- places ---------------------------------------------------------------------------------

    def _place(self, byte: int) -> tuple[int, int]:
        line = bisect_right(self._lines, byte)
        return line, byte - self._lines[line - 1]

    def _text(self, start: int, end: int) -> str:
        """As written, on one line; what is too long loses its beginning, for its last name is what it names."""
        text = self._data[max(start, end - 4 * _TEXT_LIMIT) : end].decode("utf-8", "replace")
        if "\n" in text or "  " in text:
            text = " ".join(text.split()).replace(" .", ".").replace(" ?.", "?.")
        return text[-_TEXT_LIMIT:]

    def _add(
        self, role: Role, source: int, span: tuple[int, int], text: str, status: Status, targets: tuple[Target, ...],
        reason: str,
    ) -> None:  # fmt: skip
        site = Site(role, source, *self._place(span[0]), *self._place(span[1]), text, status, targets, reason)
        self._sites.append((site, self._part))

    def nodes(self) -> tuple[Node, ...]:
        file = self._file
        base = stem(file.path)[0].replace("/", ".")
        found: list[Node] = []
        for index, row in enumerate(file.facts.nodes):
            key = file.keys[index]
            full = f"{base}.{plain_name(key)}" if key else base
            start_line, _ = self._place(row.start)
            name_line, name_column = self._place(row.named_at)
            cut = min(row.signature_end, row.start + 4 * _SIGNATURE_LIMIT) if index else row.start
            signature = one_line(self._data[row.start : cut], "javascript")[:_SIGNATURE_LIMIT]
            found.append(
                Node(
                    key, full, row.name or base.rpartition(".")[2], row.kind, row.parent,
                    row.start, row.end if index else len(self._data), start_line,
                    self._place(row.end)[0] if index else len(self._lines), name_line, name_column, signature,
                    row.public,
                )
            )  # fmt: skip
        return tuple(found)

    # -- sites ----------------------------------------------------------------------------------

    def _mentions(self, mentions: list[m.Mention], resolved: Container[int]) -> None:
        file = self._file
        _, placed = file.placed
        called: set[int] = set()  # places of references that turned out to be handed to something that calls them
        of_nodes: dict[int, list[m.Mention]] = {}
        for mention in reversed(mentions):
            of_nodes.setdefault(mention.node, []).append(mention)
        for mention in mentions:
            later = of_nodes[mention.node]
            later.pop()
            part = self._parts.at(mention.start)
            if part not in resolved:
                continue
            self._enter(part)
            span = mention.start, mention.end
            if mention.role in "kK":
                if mention.value in placed:
                    self._key(mention, span)
                continue
            text = self._text(mention.text, mention.end)
            if mention.role in "RW":
                text = f"{SHORTHAND}{text}"
            role = _ROLES[mention.role]
            if role is Role.CALL:
                found = self._finder.call(file, mention.value)
                self._call(mention, found, span, text)
                self._named(mention, found, span, text)
                if not found.targets and (found.outside or self._calls_back(mention.value)):
                    called.update(self._callbacks(mention, found, islice(reversed(later), _ARGUMENTS_AHEAD)))
                continue
            found = self._finder.reference(file, mention.value, role is Role.WRITE)
            status, targets, reason = self._finder.answer(found)
            if role is Role.WRITE and not found.targets:
                if self._finder.is_export(file, mention.value):
                    continue  # it makes a definition
                status, targets, reason = self._finder.answer(self._finder.nowhere(file, mention.value, found))
            elif role in (Role.REFERENCE, Role.WRITE):
                if not found.targets:
                    continue
                if found.accessor or (mention.start in called and not found.held):
                    role = Role.CALL
                self._beside(mention, found.held, Role.CALL if mention.start in called else role, span, text)
                self._beside(mention, found.run, Role.CALL, span, text)
            self._add(role, mention.node, span, text, status, targets, reason)

    def _beside(
        self, mention: m.Mention, also: tuple[tuple[str, int], ...], role: Role, span: tuple[int, int], text: str
    ) -> None:
        """What a place means beside the property that it names: a site of its own, for renaming tells them apart."""
        if also:
            self._add(role, mention.node, span, text, *self._finder.answer(Found(targets=dict.fromkeys(also))))

    def _key(self, mention: m.Mention, span: tuple[int, int]) -> None:
        """A key of an object literal writes the member of the type that the literal has to have; a function or property
        that is a definition of its own replaces it as well."""
        file = self._file
        name = self._data[mention.start : mention.end].decode("utf-8", "replace").strip("\"'")
        declared, sure = literals.written(self._engine, file, mention.value, name)
        if not declared:
            return
        text = f"{SHORTHAND}{name}" if mention.role == "K" else name
        found = Found(targets=dict.fromkeys(declared), doubt="" if sure else "several types fit")
        status, targets, reason = self._finder.answer(found)
        self._add(Role.WRITE, mention.node, span, text, status, targets, reason)
        own = [slot for slot in slots.own(file, mention.value, name) if slot.node >= 0]
        if sure and own and file.facts.nodes[own[-1].node].named_at == mention.start:
            self._add(Role.OVERRIDE, own[-1].node, span, name, status, targets, reason)

    def _call(self, mention: m.Mention, found: Found, span: tuple[int, int], text: str) -> None:
        status, targets, reason = self._finder.answer(found)
        if status is Status.RESOLVED and found.lost:
            reason = found.reason  # another of its name may be called, too
        elif status is Status.UNRESOLVED:
            callee = self._file.expressions[self._file.expressions[mention.value][1]]
            if callee[0] == m.MEMBER and (namesakes := self._finder.namesakes(callee[2])):
                status, targets = Status.AMBIGUOUS, namesakes
        self._add(Role.CALL, mention.node, span, text, status, targets, reason)

    def _named(self, mention: m.Mention, called: Found, span: tuple[int, int], text: str) -> None:
        """What the call names, where that is not what runs: a variable that holds it, a method that is only declared, a
        class that inherits its constructor. A getter runs as well."""
        _, callee, arguments = self._file.expressions[mention.value]
        if self._file.expressions[callee][0] not in (m.NAME, m.MEMBER):
            return
        named = self._finder.reference(self._file, callee)
        meant = list(named.targets)
        if len(meant) > 1:
            meant = self._finder.meant(self._file, arguments, meant)
        others = (
            target for target in self._nameable(tuple(meant))
            if target not in called.targets and not self._constructs(called, target)
        )  # fmt: skip
        values = dict.fromkeys(islice(others, MAX_TARGETS + 1))
        if values:
            status, targets, reason = self._finder.answer(Found(targets=values))
            role = Role.CALL if named.accessor else Role.REFERENCE
            self._add(role, mention.node, span, text, status, targets, reason)

    def _nameable(self, targets: tuple[tuple[str, int], ...]) -> list[tuple[str, int]]:
        """Those that whoever asks for them may mean by the calls that name them."""
        files = self._engine.files
        if targets not in self._named_ones:
            self._named_ones[targets] = [
                (path, node) for path, node in targets if files[path].facts.nodes[node].kind in (*_NAMED, "class")
            ]
        return self._named_ones[targets]

    def _constructs(self, called: Found, target: tuple[str, int]) -> bool:
        """Whether what is called is the constructor of a class, by which the class has its callers."""
        files = self._engine.files
        return files[target[0]].facts.nodes[target[1]].kind == "class" and any(
            (path, files[path].facts.nodes[node].parent) == target for path, node in called.targets
        )

    def _callbacks(self, mention: m.Mention, found: Found, ahead: Iterable[m.Mention]) -> set[int]:
        """Functions handed to something outside, or to what only the language has a method for, are called by it: from
        here, as far as anyone can see."""
        if any(name in builtins.HANDS_BACK or builtins.only_keeps(name) for name in found.outside):
            return set()
        file = self._file
        named: dict[int, int] = {}
        places: set[int] = set()
        for argument in file.expressions[mention.value][2]:
            row = file.expressions[argument]
            if row[0] == m.FUNCTION:
                node = file.facts.nodes[file.functions[row[1]].node]
                end = min(node.end, node.start + _TEXT_LIMIT)
                line = self._data.find(b"\n", node.signature_end, end)
                end = line if line >= 0 else end  # further lines are another part's, and say little of what it is
                text = " ".join(self._data[node.start : end].decode("utf-8", "replace").split())
                target = Target(file.path, file.keys[file.functions[row[1]].node])
                self._add(Role.CALL, mention.node, (node.start, node.end), text, Status.RESOLVED, (target,), "")
            elif row[0] in (m.NAME, m.MEMBER) and self._finder.functions(file, argument):
                named[argument] = 0
        for later in ahead if named else ():
            if later.role == "r" and later.value in named:
                places.add(later.start)
                del named[later.value]
        return places

    def _calls_back(self, call: int) -> bool:
        """Whether something unknown is called by the name of a method of the language that calls what it is given, and
        nothing in the root has a method of that name."""
        callee = self._file.expressions[self._file.expressions[call][1]]
        if callee[0] != m.MEMBER or callee[2] not in builtins.CALLS_BACK:
            return False
        return not self._engine.is_offered(f"js:method:{callee[2]}")

    def _overrides(self, resolved: Container[int]) -> None:
        engine, file = self._engine, self._file
        for index, row in enumerate(file.classes):
            if not (row.extends or row.implements) or not self._enters(row.node, resolved):
                continue
            for name, _, static, _, _, node in row.members:
                if name == "constructor" or node < 0:
                    continue
                targets = self._replaced(index, name, static)
                if targets:
                    self._override(node, targets)
        for interface in file.interfaces:
            if not interface.extends or not self._enters(interface.node, resolved):
                continue
            for name, _, node in interface.members:
                bases = [value for part in interface.extends for value in types.of(engine, file, part, FUEL)]
                if node >= 0 and (targets := self._replaced_in(bases, name)):
                    self._override(node, targets)

    def _enters(self, node: int, resolved: Container[int]) -> bool:
        """Whether the part in which a definition stands is resolved; it is entered then."""
        part = self._parts.at(self._file.facts.nodes[node].start) if node >= 0 else 0
        if part in resolved:
            self._enter(part)
        return part in resolved

    def _signatures(self, resolved: Container[int]) -> None:
        """Each signature of a function names the one that has the body."""
        file = self._file
        for function in file.functions:
            for number in function.overloads:
                if not self._enters(file.functions[number].node, resolved):
                    continue
                row = file.facts.nodes[file.functions[number].node]
                span = row.named_at, row.named_at + len(row.name.encode())
                target = Target(file.path, file.keys[function.node])
                self._add(
                    Role.REFERENCE, file.functions[number].node, span, row.name, Status.RESOLVED, (target,), ""
                )

    def _override(self, node: int, targets: tuple[Target, ...]) -> None:
        row = self._file.facts.nodes[node]
        span = row.named_at, row.named_at + len(row.name.encode())
        self._add(Role.OVERRIDE, node, span, row.name, Status.RESOLVED, targets, "")

    def _replaced(self, index: int, name: str, static: bool) -> tuple[Target, ...]:
        engine, file = self._engine, self._file
        row = file.classes[index]
        bases = list(engine.evaluate(file, row.extends, FUEL)) if row.extends else []
        if not static:
            bases = [(v.INSTANCE, *base[1:]) for base in bases if base[0] == v.CLASS]
            bases += [value for part in row.implements for value in types.of(engine, file, part, FUEL)]
        return self._replaced_in(bases, name)

    def _replaced_in(self, bases: list[Value], name: str) -> tuple[Target, ...]:
        engine = self._engine
        found: dict[Target, None] = {}
        for base in bases:
            if base[0] in (v.CLASS, v.INSTANCE, v.TYPED):
                for slot in members.find(engine, base, name, FUEL):
                    if slot.node >= 0:
                        found[Target(slot.path, engine.files[slot.path].keys[slot.node])] = None
        return tuple(found)

    def _dependencies(self) -> tuple[Dependency, ...]:
        file = self._file
        self._enter(0)
        found: list[Dependency] = []
        for row in file.facts.imports:
            path, outside = self._engine.modules.find(file.path, row.specifier, self._engine.reads)
            if path or outside:
                found.append(Dependency(Target(path, outside), row.line, tuple(row.names)))
        return tuple(found)


def nothing(path: str, size: int) -> FileGraph:
    """The graph of a file that only takes part by what it offers, such as package.json."""
    base = stem(path)[0].replace("/", ".")
    name = path.rpartition("/")[2]
    node = Node("", base, name, "module", -1, 0, size, 1, 1, 1, 0, "", True)
    return FileGraph((node,), (), (), frozenset(), _interface((node,)), False)


def _interface(nodes: tuple[Node, ...]) -> str:
    public = sorted((node.kind, node.key, node.signature) for node in nodes[1:] if node.public)
    return hashlib.sha256("\0".join("\1".join(item) for item in public).encode("utf-8", "replace")).hexdigest()
