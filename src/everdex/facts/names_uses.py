"""The uses of a file while its facts are taken: calls, names of types, values that are read, what is assigned to.

Each is kept by where its name begins; what the same place says twice is kept once, the fuller way. Puts nothing into
scopes and resolves nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Final

from tree_sitter import Node

from everdex.facts import arguments as given
from everdex.facts import names_model as model
from everdex.facts.callees import split_callee
from everdex.facts.expressions import chain_of, type_of
from everdex.facts.names_keys import Key, Literal, owned
from everdex.facts.names_operators import MAX_BYTES
from everdex.facts.names_passed import BLOCKS, MAX_TYPE_BYTES, Passed
from everdex.facts.names_tokens import MAX_TEXT
from everdex.parse.definitions import Definition

_SQUARE: Final = ord("[")
_DOT: Final = ord(".")
_QUALIFIED: Final = frozenset(("cpp", "cuda", "rust"))
_QUALIFIERS: Final = re.compile(rb"(?:[A-Za-z_]\w*::)+$")
_STEPS: Final = (b"++", b"--")
_UPDATED: Final = re.compile(rb"\s*(?:[-+*/%]=|\+\+|--)")
_INITIALIZER: Final = re.compile(r"base|this|super")
_CONVERSION: Final = re.compile(r"\(\s*(\*?)\s*((?:\w+\.)?\w+)\s*\)")  # Go: `(*T)(x)`, `(T)(x)`
_STATED: Final = {  # C#: where a declaration has its type
    "variable_declaration": "type", "property_declaration": "type", "local_function_statement": "type",
    "method_declaration": "returns",
}  # fmt: skip
_RETURNING: Final = frozenset((*_STATED, "lambda_expression", "anonymous_method_expression", "declaration_list"))
# Bash lets nearly every character stand in a function's name.
_COMMAND: Final = re.compile(r"[\w.:+@%/-]+")
_NAMED_ARGUMENTS: Final = frozenset(("kotlin", "scala"))  # with which only constructors are given members
_CALLS: Final = {"call": model.CALL, "new": model.NEW, "macro": model.MACRO}
_NAMED: Final = {"type": model.TYPE, "read": model.READ}
_MEMBERS: Final = {"member": model.READ, "label": model.LABEL}
_OPERATED: Final = frozenset(("operator", "indexed", "stored", "updated"))
_KEYS: Final = {"key": model.KEY, "taken": model.READ}


class Uses(Passed):
    """Collects the uses of one file."""

    def __init__(self, language: str, data: bytes) -> None:
        super().__init__(language, data)
        self.generics: dict[tuple[int, int], set[str]] = {}  # what definitions are given as types, by their places
        # computed callees, by key, that convert to a type unless this is the name of a local
        self.conversions: dict[tuple[int, int], str] = {}
        self.members: list[tuple[Node, Node, int]] = []  # names, each with what it is a member of, and its role
        self.literals: list[Literal] = []
        self.keys: list[Key] = []
        # what is bound, by its place: name, type, what is assigned, whether it takes the items of that
        self.binds: dict[int, tuple[str, str, str, bool]] = {}
        self.structures: list[tuple[int, int]] = []  # Go: where structs are written, in order

    def _use(self, role: str, node: Node, captures: dict[str, list[Node]]) -> bool:
        """Takes what a pattern found, if it is a use of something."""
        if role in _NAMED:
            for each in captures[role]:
                self._plain(each, _NAMED[role], captures.get("receiver"))
        elif role in _MEMBERS:
            self.members.append((node, captures["receiver"][0], _MEMBERS[role]))
        elif role in _CALLS:
            self._call(node, captures, _CALLS[role])
        elif role == "constructed":
            self._call(node, captures, model.NEW, 1)
        elif role == "infix":
            self._infix(node, captures)
        elif role in _OPERATED:
            self._operate(role, node, captures)
        elif role == "made":
            self.uses.setdefault((node.start_byte, 0), (node.start_byte, 0, model.NEW, "", "?", -1, "new"))
        elif role == "target":
            self._target(node, captures)
        elif role == "callee":
            self._callee(node, captures)
        elif role == "write":
            self._write(node)
        elif role == "qualifier":
            self._qualifier(node)
        elif role == "token":
            self._token(node.start_byte, node.end_byte)
        elif role == "initializer":
            self._initializer(node, captures)
        elif role == "implied":
            self._imply(node, captures)
        elif role in _KEYS:
            self.keys += [Key(each.start_byte, each.end_byte, _KEYS[role]) for each in captures[role]]
        elif role == "literal":
            stated, through = captures.get("stated"), captures.get("through")
            text = self._type(stated[0]) if stated else f".{self._text(through[0])}" if through else ""
            if stated is None or self.language not in _NAMED_ARGUMENTS or text[:1].isupper():
                self.literals.append(Literal(node.start_byte, node.end_byte, text))
        else:
            return False
        return True

    def _imply(self, node: Node, captures: dict[str, list[Node]]) -> None:
        """Swift: `.name(…)` beside a type, beside a value, or as what is returned."""
        if self.data[node.start_byte] != _DOT:
            return
        stated, receivers = captures.get("stated"), captures.get("receiver")
        chain = self._chain(receivers[0]) if receivers else model.RETURNED
        self.implied[node.start_byte + 1] = f"@{{{self._type(stated[0])}}}" if stated else chain

    def _front(self, node: Node) -> str:
        return self.data[node.start_byte : min(node.end_byte, node.start_byte + MAX_BYTES)].decode("utf-8", "replace")

    def _type(self, node: Node) -> str:
        end = min(node.end_byte, node.start_byte + MAX_TYPE_BYTES)
        first = bisect_left(self.structures, (node.start_byte, 0))
        if first < len(self.structures) and self.structures[first][0] < end:
            # A struct without a name is called by its number; what is in it is no part of the type's text.
            begin, close = self.structures[first]
            front, rest = self.data[node.start_byte : begin], self.data[close : node.end_byte]
            return type_of(f"{front.decode()}{model.UNNAMED}{first}{rest.decode()}")
        return type_of(self.data[node.start_byte : end].decode("utf-8", "replace"))

    def _split(self, start: int, end: int) -> tuple[str, str, int]:
        """What the bytes of a callee name: receiver, name, how many bytes follow the name."""
        if end - start > MAX_BYTES:
            near = self.data[end - MAX_BYTES : end].decode("utf-8", "replace")
            receiver, name, tail = split_callee(near, self.language)
            if receiver:
                return "?", name, tail
        return split_callee(self.data[start:end].decode("utf-8", "replace"), self.language)

    def _takes(self, item: Definition, parameters: Node) -> tuple[str, ...]:
        """The types of a definition's parameters, where they may tell which of several is meant."""
        if self.language not in given.LANGUAGES:
            return ()
        generic, around = set[str](), item if item.name_start < parameters.start_byte else None
        while around is not None:
            # Once for each: definitions inside each other without end are around very many.
            if (found := self.generics.get((around.start, around.name_start))) is None:
                found = self.generics[around.start, around.name_start] = self._type_parameters(around)
            generic |= found
            around = around.parent
        return given.taken(self._front(parameters), self.language, generic)

    def _type_parameters(self, item: Definition) -> set[str]:
        begin, end = item.name_start, item.name_start + len(item.name.encode())
        before = self.data[max(item.start, begin - MAX_TEXT) : begin].decode("utf-8", "replace")
        behind = self.data[end : end + MAX_TEXT].decode("utf-8", "replace")
        return given.type_parameters(before, behind)

    def _call(self, node: Node, captures: dict[str, list[Node]], kind: int, beside: int = 0) -> None:
        """`beside`: 1 where the name is a use of its own besides."""
        if node.is_extra:
            return  # a comment before the name: another pattern has that
        start, end = node.start_byte, node.end_byte
        receivers = captures.get("receiver")
        receiver = self._chain(receivers[0]) if receivers else ""
        name = self._text(node)
        if self.language == "bash":
            if not _COMMAND.fullmatch(name):
                self.uses[start, 0] = (start, 0, kind, "", "?", -1, name[:MAX_TEXT])
                return
        elif kind != model.CALL or not name.isidentifier():
            owner, last, tail = self._split(start, end)
            if not last:
                self.uses[start, 0] = (start, 0, kind, "", "?", -1, name[:MAX_TEXT])
                return
            receiver = receiver or owner
            end -= tail
            start = end - len(last.encode())
            name = last
        text = self._with_types(name, receiver, end) if kind == model.NEW else ""
        self.uses[start, beside] = (start, end - start, kind, name, receiver, self._arguments(captures), text)
        self._pass(start, captures)

    def _infix(self, node: Node, captures: dict[str, list[Node]]) -> None:
        """Scala: `a put b` hands over whatever stands there, which may be several in parentheses."""
        start, receiver = node.start_byte, self._chain(captures["receiver"][0])
        self.uses[start, 0] = (start, node.end_byte - start, model.CALL, self._text(node), receiver, -1, "")

    def _target(self, node: Node, captures: dict[str, list[Node]]) -> None:
        """C#: `new(…)` makes what is declared where it stands. Of one that stands elsewhere nobody asks what is around
        it: tree-sitter would go there from the root for each."""
        start, stated, word = node.start_byte, declared(node), "new"
        receiver, name, tail = self._split(stated.start_byte, stated.end_byte) if stated else ("", "", 0)
        if name:
            stated_end = stated.end_byte if stated is not None else start
            given_types = self.data[stated_end - tail : stated_end] if tail and self.language == "csharp" else b""
            written = f"{word}{model.generic(given_types)}" if given_types[:1] == b"<" else word
            self.uses[start, 0] = (start, len(word), model.NEW, name, receiver, self._arguments(captures), written)
            self._pass(start, captures)

    def _callee(self, node: Node, captures: dict[str, list[Node]]) -> None:
        start, end = node.start_byte, node.end_byte
        arguments = captures.get("arguments")
        if self.language == "swift" and arguments and self.data[arguments[0].start_byte] == _SQUARE:
            return  # its grammar makes calls of subscripts
        if self.language == "swift" and node.type == "call_expression" and arguments and _are_blocks(arguments):
            # `let x = f(1) { … }`: its grammar makes two calls of one.
            given_before = [part for part in node.named_children[-1].named_children if part.type != "simple_identifier"]
            self._callee(node.named_children[0], {"arguments": [*given_before, *arguments]})
            return
        front = start
        if self.language == "go" and end - start <= 2 * MAX_TEXT:
            written = self._text(node)
            converted = _CONVERSION.fullmatch(written)
            inner = start + len(written[: converted.start(2)].encode()) if converted else start
            if converted and converted[1]:
                self.conversions[start, end] = converted[2]
                self._named(inner, inner + len(converted[2].encode()), model.TYPE)
            elif converted:
                front, end = inner, inner + len(converted[2].encode())
        receiver, name, tail = self._split(front, end)
        if self.language == "swift" and self.data[start] == _DOT:
            self.implied.setdefault(start + 1, "?")
        if self.language == "swift" and receiver in ("", "self") and self.data[end : end + 1] == b"?":
            # `f?(…)` calls what a variable holds: no method of one's own is optional.
            self._named(start, end, model.READ)
            name = ""
        if not name and self.language == "scala" and self.data[end - 1 : end] == b")":
            return  # a second list of arguments is no second call
        if not name:
            text = " ".join(self.data[start : min(end, start + 2 * MAX_TEXT)].decode("utf-8", "replace").split())
            # The same place may hold a callee that is called itself: `f(1)(2)`; the end tells them apart.
            self.uses[start, end] = (start, 0, model.CALL, "", "?", -1, text[:MAX_TEXT])
            return
        text = self._written(node) if receiver and self.language in _QUALIFIED else ""
        if tail and self.language == "csharp":
            text = f"{receiver}.{name}{model.generic(self.data[end - tail : end])}".lstrip(".")
        end -= tail
        start = end - len(name.encode())
        if self.language == "kotlin":
            self._blocks(receiver, name, arguments or [])
        count, known = self._arguments(captures), self.uses.get((start, 0))
        if known is not None and known[5] > count >= 0:
            return  # a call with a block after it contains the one without
        self.uses[start, 0] = (start, end - start, model.CALL, name, receiver, count, text)
        self._pass(start, captures)

    def _written(self, node: Node) -> str:
        """A name behind namespaces or types, as written: that it is no member of a value is seen in the text alone."""
        if node.end_byte - node.start_byte > MAX_TEXT:
            return ""
        text = self.data[node.start_byte : node.end_byte]
        return text.decode() if b"::" in text and text.translate(None, b":_").isalnum() else ""

    def _initializer(self, node: Node, captures: dict[str, list[Node]]) -> None:
        word = _INITIALIZER.search(self._text(node))
        if word:
            start = node.start_byte + word.start()
            self.uses[start, 0] = (start, len(word[0]), model.CALL, word[0], "", self._arguments(captures), "")
            self._pass(start, captures)

    def _plain(self, node: Node, kind: int, receivers: list[Node] | None) -> None:
        start, end = node.start_byte, node.end_byte
        if (start, 0) in self.uses:
            return
        if receivers:
            receiver = self._chain(receivers[0])
            name = self._text(node)
            text = self._with_types(name, receiver, end) if kind == model.TYPE else ""
            self.uses[start, 0] = (start, end - start, kind, name, receiver, -1, text)
        else:
            self._named(start, end, kind)

    def _add_members(self) -> None:
        """What members are read, once it is known which are called or assigned, and whose the keys of literals are."""
        for node, receiver, role in self.members:
            if role == model.LABEL:
                self.uses.pop((node.start_byte, 0), None)
            if (node.start_byte, 0) not in self.uses:
                self._plain(node, role, [receiver])
        for key, owner in owned(self.literals, self.keys):
            name = self.data[key.start : key.end].decode("utf-8", "replace")
            self.uses[key.start, 0] = (key.start, key.end - key.start, key.role, name, owner, -1, "")
            if key.start in self.binds:
                self.binds[key.start] = (name, "", f"{model.TAKEN}{name} {owner}", False)

    def _qualifier(self, node: Node) -> None:
        """The name before a `::`, with those before it: `b` of `a::b::c`."""
        start, end = node.start_byte, node.end_byte
        front = _QUALIFIERS.search(self.data, max(0, start - MAX_TEXT), start)
        if (start, 0) not in self.uses and (front is None or front.start() > start - MAX_TEXT):
            receiver = chain_of(front[0].decode().removesuffix("::"), self.language) if front else ""
            self.uses[start, 0] = (start, end - start, model.QUALIFIER, self._text(node), receiver, -1, "")

    def _named(self, start: int, end: int, kind: int) -> None:
        if end - start <= MAX_TEXT:
            text = self.data[start:end].decode("utf-8", "replace")
            if text.isidentifier():
                given_types = self._with_types(text, "", end) if kind == model.TYPE else ""
                self.uses[start, 0] = (start, end - start, kind, text, "", -1, given_types)
                return
        receiver, name, tail = self._split(start, end)
        if name:
            end -= tail
            start = end - len(name.encode())
            known = self.uses.get((start, 0))
            # `pkg.Type` says more than the `Type` inside it, whichever is found first.
            if known is None or (known[2] == kind and receiver and not known[4]):
                given_types = self._with_types(name, receiver, end) if kind == model.TYPE else ""
                self.uses[start, 0] = (start, end - start, kind, name, receiver, -1, given_types)

    def _write(self, node: Node) -> None:
        receiver, name, _ = self._split(node.start_byte, node.end_byte)
        name = name.removeprefix("$") if receiver else name  # `self::$name` of PHP
        if name:
            start = node.end_byte - len(name.encode())
            reads = self.language == "kotlin" and self._is_updated(node)
            self.uses[start, 0] = (start, node.end_byte - start, model.WRITE, name, receiver, -1 + reads, "")

    def _is_updated(self, node: Node) -> bool:
        """Whether what is assigned to is read before: `x += 1`, `x++`."""
        before = self.data[max(0, node.start_byte - 2) : node.start_byte]
        return before in _STEPS or _UPDATED.match(self.data, node.end_byte) is not None


def _are_blocks(arguments: list[Node]) -> bool:
    return all(node.type in BLOCKS for node in arguments)


def declared(made: Node) -> Node | None:
    """The type that is written for what an expression of C# is assigned to or returned as."""
    around = made.parent
    if around is not None and around.type == "variable_declarator":
        around = around.parent
    elif around is not None and around.type in ("return_statement", "arrow_expression_clause"):
        while around is not None and around.type not in _RETURNING:
            around = around.parent
    if around is None or any(part.type == "modifier" and part.text == b"async" for part in around.children):
        return None  # what is awaited is inside what is declared
    stated = around.child_by_field_name(_STATED[around.type]) if around.type in _STATED else None
    return stated.named_children[0] if stated is not None and stated.type == "nullable_type" else stated
