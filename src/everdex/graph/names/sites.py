"""Makes a file's graph of its facts and the answers for its uses: nodes, sites by place, dependencies, interface.

Decides nothing about where a name leads.
"""

from __future__ import annotations

import hashlib
from typing import Final

import msgspec

from everdex.facts import names_model as facts
from everdex.graph.model import Dependency, FileGraph, Node, Role, Site, Status, Target
from everdex.graph.names.calls import LOCAL, is_setter
from everdex.graph.names.choosing import Answer
from everdex.graph.names.evaluate import Evaluation
from everdex.graph.names.imports import MAX_REEXPORTS, MISSING, lead
from everdex.graph.names.index import Index, Ref
from everdex.graph.names.lookup import MAX_WORK
from everdex.graph.names.module import Module, display_of
from everdex.graph.names.operators import Operators
from everdex.graph.names.rules import ABSTRACT, CALLABLES, METHODS, TYPES
from everdex.graph.names.things import INSTANCE, SPACE, TYPE, Place, Thing
from everdex.graph.names.types import last_name

_MAX_TEXT: Final = 80
_PROPERTIES: Final = frozenset(("field", "property"))
_ROLES: Final = {
    facts.TYPE: Role.REFERENCE, facts.QUALIFIER: Role.REFERENCE, facts.READ: Role.REFERENCE, facts.WRITE: Role.WRITE,
    facts.KEY: Role.WRITE, facts.LABEL: Role.REFERENCE,
}  # fmt: skip


def file_graph(index: Index, module: Module, body: facts.Body) -> FileGraph:
    return _File(index, module, body).graph()


def bare_graph(path: str) -> FileGraph:
    """Of a project file, which has no definitions."""
    name = path.rpartition("/")[2]
    node = Node("", path, name, "module", -1, 0, 0, 1, 1, 1, 0, "", True)
    return FileGraph((node,), (), (), frozenset(), "", False)


def _numbers(module: Module) -> list[int]:
    """The node of each definition; blocks that only qualify names count as what is around them."""
    numbers: list[int] = []
    count = 1
    for item in module.outline.definitions:
        if item.flags & facts.SCOPE_ONLY:
            numbers.append(numbers[item.parent] if item.parent >= 0 else 0)
        else:
            numbers.append(count)
            count += 1
    return numbers


def nodes_of(module: Module) -> tuple[Node, ...]:
    """The file and its definitions."""
    outline, path, numbers = module.outline, module.path, _numbers(module)
    prefix = display_of(path, outline)
    file_name = path.rpartition("/")[2]
    nodes = [
        Node("", prefix or file_name, file_name, "module", -1, 0, outline.size, 1, outline.lines, 1, 0, "", True)
    ]
    for index, item in enumerate(outline.definitions):
        if item.flags & facts.SCOPE_ONLY:
            continue
        nodes.append(
            Node(
                module.keys[index], _qualified(module, item, prefix), item.name, item.kind,
                numbers[item.parent] if item.parent >= 0 else 0, item.start, item.end, item.start_line, item.end_line,
                item.name_line, item.name_column, item.signature, item.public,
            )
        )  # fmt: skip
    return tuple(nodes)


def _qualified(module: Module, item: facts.Defined, prefix: str) -> str:
    language, definitions = module.outline.language, module.outline.definitions
    if item.kind == "namespace" and item.path == module.outline.package:
        return item.path
    outermost = item
    while outermost.parent >= 0:
        outermost = definitions[outermost.parent]
    if language in ("cpp", "cuda") and outermost.kind == "namespace":
        return item.path
    if language == "ruby" and item.path[:1].isupper():
        return item.path
    return f"{prefix}.{item.path}" if prefix else item.path


class _File:
    def __init__(self, index: Index, module: Module, body: facts.Body) -> None:
        self.module, self.body = module, body
        self.evaluation = Evaluation(index, module, body)
        self.calls = Operators(self.evaluation, body.uses)
        self.node_of = _numbers(module)
        self.types: dict[tuple[str, str, int], Answer] = {}
        self.type_names: dict[str, bool] = {}
        self.base_names: dict[int, frozenset[str]] = {}
        self.named: list[Site] = []  # what calls name besides what they run

    def _node(self, scope: int) -> int:
        return self.node_of[scope] if scope >= 0 else 0

    def graph(self) -> FileGraph:
        nodes = nodes_of(self.module)
        sites, dependencies = self._imports()
        for use in self.body.uses:
            site = self._site(use)
            if site is not None:
                sites.append(site)
        sites += self.named
        sites += self._overrides()
        sites += self._initial_values(sites)
        sites.sort(key=lambda site: (site.line, site.column, site.end_column, site.role))
        public = sorted((node.kind, node.qualified_name, node.signature) for node in nodes[1:] if node.public)
        interface = hashlib.sha256(repr(public).encode("utf-8", "backslashreplace")).hexdigest()[:32]
        return FileGraph(
            nodes, tuple(sites), tuple(dependencies), frozenset(self.evaluation.reader.reads), interface,
            self.module.outline.partial,
        )  # fmt: skip

    def _site(self, use: facts.Use) -> Site | None:
        if use.role == facts.QUALIFIER and not self._is_type(use.name):
            return None  # a namespace or a module: it is named in every path that goes through it
        if use.role == facts.OPERATOR:
            every = [self._made(each, Role.CALL, answer) for each, answer in self.calls.operator(use)]
            self.named += every[1:]
            return every[0] if every else None
        role = _ROLES.get(use.role, Role.CALL)
        ruby_call = use.role == facts.READ and self.module.outline.language == "ruby"
        if role is Role.CALL:
            answer = self.calls.call(use)
            if answer.named:
                self.named.append(self._made(use, Role.REFERENCE, self.calls.naming(answer)))
        elif ruby_call:
            found = self._ruby_name(use)
            if found is None:
                return None
            role, answer = found
        else:
            answer = self._referred(use)
            if use.role == facts.TYPE and self._is_base(use):
                role = Role.INHERIT
                if answer.status is Status.UNRESOLVED:
                    return self._made(use, role, answer)
            by_itself = not answer.refs and (use.role == facts.LABEL or self.calls.is_index(use))
            if by_itself:
                return self._site(msgspec.structs.replace(use, role=facts.READ, receiver=""))
            if use.role == facts.KEY and not answer.refs and self.module.rules.primary:
                return None  # a parameter that is no field
            embeds = role is Role.WRITE and self.module.outline.language == "go"
            if embeds and answer.refs and all(ref.defined.kind in TYPES for ref in answer.refs):
                role = Role.REFERENCE  # a field by the name of the type that is embedded
            if answer.runs:
                if role is Role.WRITE and use.arguments >= 0:
                    read = msgspec.structs.replace(use, role=facts.READ)
                    self.named.append(self._made(use, Role.CALL, self.calls.reference(read)))
                return self._made(use, Role.CALL, answer)
            if role is Role.WRITE:
                return self._made(use, role, answer) if answer.reason != LOCAL else None
            if answer.status is Status.UNRESOLVED or (answer.status is Status.EXTERNAL and role is not Role.INHERIT):
                return None
            if use.role == facts.READ and self._runs(answer):
                role = Role.CALL
        return self._made(use, role, answer)

    def _is_type(self, name: str) -> bool:
        """Whether anything of this name is a type, wherever it is."""
        known = self.type_names.get(name)
        if known is None:
            found = self.evaluation.reader.named(name)
            known = self.type_names[name] = any(ref.defined.kind in TYPES for ref in found)
        return known

    def _referred(self, use: facts.Use) -> Answer:
        if use.role not in (facts.TYPE, facts.QUALIFIER):
            return self.calls.reference(use)
        key = (use.receiver, use.text or use.name, use.scope)
        answer = self.types.get(key)
        if answer is None:
            # What a type extends is not looked for in what it inherits, but by Ruby, which extends it line by line.
            in_header = self.module.outline.language != "ruby" and self._is_base(use)
            self.evaluation.header = self.module.names[use.scope] if in_header else ""
            answer = self.types[key] = self.calls.reference(use)
            self.evaluation.header = ""
        return answer

    def _ruby_name(self, use: facts.Use) -> tuple[Role, Answer] | None:
        """A bare name in Ruby is a local, or else a call."""
        if self.evaluation.local(use.name, Place(self.module, use.scope, use.line, use.column)) is not None:
            return None
        answer = self.calls.call(facts.Use(use.line, use.column, use.width, use.scope, facts.CALL, use.name, "", 0, ""))
        return Role.CALL, answer

    def _runs(self, answer: Answer) -> bool:
        """Whether reading it is calling it: Scala needs no parentheses where there is nothing to hand over."""
        refs = answer.refs if self.module.outline.language == "scala" else ()
        return bool(refs) and all(ref.defined.kind in CALLABLES and ref.defined.least <= 0 for ref in refs)

    def _is_base(self, use: facts.Use) -> bool:
        if use.scope < 0:
            return False
        known = self.base_names.get(use.scope)
        if known is None:
            item = self.module.outline.definitions[use.scope]
            extends = item.kind in TYPES or item.kind == "module"
            known = self.base_names[use.scope] = frozenset(map(last_name, item.bases if extends else ()))
        return use.name in known

    def _made(self, use: facts.Use, role: Role, answer: Answer) -> Site:
        plain = f"{use.receiver}.{use.name}".lstrip(".") if use.receiver else use.name
        text = facts.without_types(use.text) or plain
        if self.module.outline.language == "ruby" and is_setter(use.name):
            text = text[:-1]  # as it is written
        end = use.column + max(use.width, 1)
        return Site(
            role, self._node(use.scope), use.line, use.column, use.line, end, _shown(text), answer.status,
            _targets(answer), answer.reason,
        )  # fmt: skip

    def _imports(self) -> tuple[list[Site], list[Dependency]]:
        sites: list[Site] = []
        dependencies: list[Dependency] = []
        reader = self.evaluation.reader
        for item in self.module.outline.imports:
            self.evaluation.budget = MAX_WORK
            led = lead(self.module, item, reader)
            refs: tuple[Ref, ...] = ()
            files = led.files
            names: tuple[str, ...] = ()
            for name in led.names:
                thing = self.evaluation.whole_name(name)
                if self.module.outline.language == "rust":
                    thing = self.evaluation.rust_path(name, MAX_REEXPORTS, self.module.space)
                    if thing is not None and thing.kind == SPACE and not reader.space(thing.name):
                        thing = thing._replace(refs=reader.definitions(thing.name))  # it has no file of its own
                if thing is None:
                    continue
                refs = tuple(ref for ref in thing.values or thing.refs if ref.key)[:16]
                files = files or tuple(dict.fromkeys(ref.module.path for ref in refs)) or reader.space(thing.name)
                if refs and item.alias != "*":
                    names = (name.rpartition(".")[2],)
                break
            targets = tuple(Target(ref.module.path, ref.key) for ref in refs) or tuple(
                Target(path, "") for path in files[:16]
            )
            status = Status.RESOLVED if targets else Status.EXTERNAL if led.outside else Status.UNRESOLVED
            outside = (Target("", led.outside),) if led.outside else ()
            sites.append(
                Site(
                    Role.IMPORT, self._node(item.scope), item.line, item.column, item.end_line, item.end_column,
                    _shown(item.path), status, targets or outside,
                    MISSING if status is Status.UNRESOLVED else "",
                )
            )  # fmt: skip
            for path in files[:64]:
                if path != self.module.path:
                    dependencies.append(Dependency(Target(path, ""), item.line, names))
            if outside and not files:
                dependencies.append(Dependency(outside[0], item.line, ()))
        return sites, dependencies

    def _initial_values(self, sites: list[Site]) -> list[Site]:
        """Variables whose definitions give them a value: each writes it, where no assignment was seen to."""
        known = {(site.line, site.column) for site in sites if site.role is Role.WRITE}
        return [
            Site(
                Role.WRITE, self._node(item.parent), item.name_line, item.name_column, item.name_line,
                item.name_column + len(item.name.encode()), item.name, Status.RESOLVED,
                (Target(self.module.path, self.module.keys[index]),), "",
            )
            for index, item in enumerate(self.module.outline.definitions)
            if item.flags & facts.VALUED and not item.flags & facts.SCOPE_ONLY
            and (item.name_line, item.name_column) not in known
        ]  # fmt: skip

    def _overrides(self) -> list[Site]:
        """From each method to the one of the bases that it replaces, and from each property that replaces one."""
        found: list[Site] = []
        known: dict[str, list[Thing]] = {}
        properties = _PROPERTIES if self.module.rules.properties else frozenset()
        for index, item in enumerate(self.module.outline.definitions):
            replacing = METHODS if self.module.outline.language in ("lua", "ruby") else properties | {"method"}
            if item.kind not in replacing or not self.module.keys[index]:
                continue
            owner = self.module.names[index].rpartition(".")[0]
            if owner not in known:
                known[owner] = self.evaluation.bases(owner)[0]
            self.evaluation.budget = MAX_WORK
            if self.module.rules.group == "go":
                refs = self.evaluation.go_replaced(owner, item.name) if item.parent < 0 else []
            elif known[owner] or self.module.rules.group == "csharp":
                kind = TYPE if item.flags & facts.STATIC and self.module.rules.group == "ruby" else INSTANCE
                kin = self.evaluation.kin(owner, (Ref(self.module, item.parent),)) if item.parent >= 0 else ()
                refs, _ = self.evaluation.member(Thing(kind, f"super:{owner}", kin), item.name)
            else:
                continue
            methods = [ref for ref in refs if ref.defined.kind in replacing and ref.key]
            if self.module.rules.group == "rust":  # other blocks of the same type replace nothing
                methods = [ref for ref in methods if ref.module.outline.definitions[ref.defined.parent].kind != "impl"]
            if item.kind in properties and "override " not in item.signature:
                methods = [ref for ref in methods if self._is_declared(ref)]
            arity = (item.least, item.most)
            fits = [ref for ref in methods if (ref.defined.least, ref.defined.most) == arity] or methods
            if fits:
                width = len(item.name.encode())
                status = Status.RESOLVED if len({ref.name for ref in fits}) == len(fits) else Status.AMBIGUOUS
                found.append(
                    Site(
                        Role.OVERRIDE, self.node_of[index], item.name_line, item.name_column, item.name_line,
                        item.name_column + width, item.name, status,
                        tuple(Target(ref.module.path, ref.key) for ref in fits[:16]),
                        "" if status is Status.RESOLVED else "several definitions fit",
                    )
                )  # fmt: skip
        return found

    def _is_declared(self, ref: Ref) -> bool:
        """Whether a property is one of an interface, which has to be written out somewhere."""
        owners = self.evaluation.reader.definitions(ref.name.rpartition(".")[0])
        return any(owner.defined.kind in ABSTRACT for owner in owners)


def _shown(text: str) -> str:
    return text.replace("@{", "").replace("}", "")[-_MAX_TEXT:] if "@{" in text else text[-_MAX_TEXT:]


def _targets(answer: Answer) -> tuple[Target, ...]:
    if answer.refs:
        return tuple(Target(ref.module.path, ref.key) for ref in answer.refs)
    return (Target("", answer.outside),) if answer.status is Status.EXTERNAL else ()
