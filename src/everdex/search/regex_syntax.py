"""Parses the regular expressions that `rg` understands (the Rust `regex` dialect, Unicode on) into a small tree.

The tree says what a line must contain, not how to capture it: groups and greediness are read and dropped. What
the dialect does not have (look-around, back-references, bytes mode) is refused by name. It knows no engine but
for the spelling of character classes, which is RE2's.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from everdex.errors import QueryError
from everdex.search import regex_classes as classes
from everdex.search.regex_tree import Characters, Choice, Edge, Node, Repeat, Sequence, Text

# Python's own recursion limit is not far above this; no one writes such a pattern by hand.
MAX_DEPTH: Final = 150
# RE2 refuses more.
MAX_REPEAT: Final = 1_000
_AS_TEXT: Final = "put a backslash before a sign that stands for itself, or look for it as plain text (literal)"

_CONTROL: Final = {"a": "\a", "f": "\f", "t": "\t", "n": "\n", "r": "\r", "v": "\v"}
_HEX_WIDTH: Final = {"x": 2, "u": 4, "U": 8}


class _Flags(msgspec.Struct, frozen=True):
    fold: bool
    spaced: bool = False  # (?x)


def parse(pattern: str, *, ignore_case: bool) -> Node:
    """The tree of a pattern; QueryError when it is not one."""
    parser = _Parser(pattern, _Flags(ignore_case))
    tree = parser.choice(0)
    if not parser.done:
        raise parser.error("unopened group")
    return tree


def literal(text: str, *, ignore_case: bool) -> Node:
    """The tree of a fixed text."""
    return Sequence(tuple(Text(character, ignore_case) for character in text))


class _Parser:
    def __init__(self, pattern: str, flags: _Flags) -> None:
        self._pattern = pattern
        self._at = 0
        self._flags = flags

    def error(self, problem: str, at: int | None = None) -> QueryError:
        place = min(self._at if at is None else at, len(self._pattern))
        return QueryError(f"invalid regex at character {place + 1}: {problem}", hint=_AS_TEXT)

    @property
    def done(self) -> bool:
        return self._at >= len(self._pattern)

    def _peek(self, ahead: int = 0) -> str:
        return self._pattern[self._at + ahead : self._at + ahead + 1]

    def _next(self, missing: str) -> str:
        if self.done:
            raise self.error(missing)
        self._at += 1
        return self._pattern[self._at - 1]

    def _accept(self, text: str) -> bool:
        if not self._pattern.startswith(text, self._at):
            return False
        self._at += len(text)
        return True

    def _skip_space(self) -> None:
        while self._flags.spaced and not self.done:
            if self._peek().isspace():
                self._at += 1
            elif self._peek() == "#":
                end = self._pattern.find("\n", self._at)
                self._at = len(self._pattern) if end < 0 else end
            else:
                return

    # -- structure -----------------------------------------------------------------------------

    def choice(self, depth: int) -> Node:
        """Alternatives up to the end of the group; flags set inside end with it."""
        if depth > MAX_DEPTH:
            raise self.error(f"groups are nested more than {MAX_DEPTH} deep")
        outer = self._flags
        branches = [self._sequence(depth)]
        while self._accept("|"):
            branches.append(self._sequence(depth))
        self._flags = outer
        return branches[0] if len(branches) == 1 else Choice(tuple(branches))

    def _sequence(self, depth: int) -> Node:
        nodes: list[Node] = []
        self._skip_space()
        while not self.done and self._peek() not in "|)":
            start = self._at
            node = self._atom(depth)
            if node is not None:
                nodes.append(self._repeated(node, start))
            self._skip_space()
        return nodes[0] if len(nodes) == 1 else Sequence(tuple(nodes))

    def _atom(self, depth: int) -> Node | None:
        character = self._next("")
        if character == "(":
            return self._group(depth)
        if character == "[":
            return self._bracket()
        if character == "\\":
            return self._escape()
        if character == ".":
            return Characters(".", False)
        if character in "^$":
            return Edge(character)
        if character in "*+?{":
            raise self.error("repetition operator missing expression", self._at - 1)
        return Text(character, self._flags.fold)

    def _repeated(self, node: Node, start: int) -> Node:
        depth = 0
        while True:
            self._skip_space()
            at = self._at
            if self._accept("*"):
                low, high = 0, None
            elif self._accept("+"):
                low, high = 1, None
            elif self._accept("?"):
                low, high = 0, 1
            elif self._accept("{"):
                low, high = self._counts(at)
            else:
                return node
            self._accept("?")
            depth += 1
            if depth > MAX_DEPTH:
                raise self.error("too many repetition operators in a row", start)
            node = Repeat(node, low, high)

    def _counts(self, at: int) -> tuple[int, int | None]:
        end = self._pattern.find("}", self._at)
        if end < 0:
            raise self.error("unclosed counted repetition", at)
        low, comma, high = self._pattern[self._at : end].partition(",")
        self._at = end + 1
        numbers = [self._count(low, at), self._count(high, at) if high.strip() else None]
        minimum = numbers[0]
        assert minimum is not None
        maximum = numbers[1] if comma else minimum
        if maximum is not None and maximum < minimum:
            raise self.error("invalid repetition count range", at)
        return minimum, maximum

    def _count(self, text: str, at: int) -> int:
        text = text.strip()
        if not (text.isascii() and text.isdecimal()):
            raise self.error("repetition quantifier expects a valid decimal", at)
        if len(text) > 9 or int(text) > MAX_REPEAT:
            raise self.error(f"a repetition count may be at most {MAX_REPEAT}", at)
        return int(text)

    def _group(self, depth: int) -> Node | None:
        start = self._at - 1
        if self._accept("?"):
            if self._pattern.startswith(("=", "!", "<=", "<!"), self._at):
                raise self.error("look-around is not supported", start)
            if self._accept("P<") or self._accept("<"):
                name, found, _ = self._pattern[self._at :].partition(">")
                if not found or not name.replace("_", "a").replace(".", "a").isalnum():
                    raise self.error("invalid group name", start)
                self._at += len(name) + 1
            else:
                flags = self._read_flags(start)
                if self._next("unclosed group") == ")":
                    self._flags = flags
                    return None
                return self._inner(depth, start, flags)
        return self._inner(depth, start, self._flags)

    def _inner(self, depth: int, start: int, flags: _Flags) -> Node:
        outer, self._flags = self._flags, flags
        node = self.choice(depth + 1)
        if not self._accept(")"):
            raise self.error("unclosed group", start)
        self._flags = outer
        return node

    def _read_flags(self, start: int) -> _Flags:
        flags, on = self._flags, True
        while self._peek() not in ("", ":", ")"):
            flag = self._next("")
            if flag == "-" and on:
                on = False
            elif flag == "i":
                flags = replace(flags, fold=on)
            elif flag == "x":
                flags = replace(flags, spaced=on)
            elif flag == "u" and not on:
                raise self.error("bytes mode (?-u) is not supported: files are UTF-8", start)
            elif flag not in "msUu":  # these change nothing within one line
                raise self.error(f"unrecognized flag {flag!r}", start)
        if self.done:
            raise self.error("unclosed group", start)
        return flags

    # -- characters ----------------------------------------------------------------------------

    def _escape(self) -> Node:
        kind = self._peek()
        if kind in ("b", "B"):
            self._at += 1
            return Edge("\\" + kind)
        if kind in ("A", "z"):  # rg looks at one line at a time, so these are its ends
            self._at += 1
            return Edge("^" if kind == "A" else "$")
        leaf = self._class_escape()
        if leaf is not None:
            return Characters(leaf.source, self._flags.fold)
        return Text(self._character_escape(), self._flags.fold)

    def _class_escape(self) -> classes.Leaf | None:
        r"""What `\d`, `\W`, `\p{Greek}` and the like stand for; None for an escape that is one character."""
        kind = self._peek()
        if kind and kind in "dswDSW":
            self._at += 1
            return classes.PERL[kind]
        if not kind or kind not in "pP":
            return None
        start = self._at - 1
        self._at += 1
        name = self._next("a Unicode class needs a name")
        if name == "{":
            name, found, _ = self._pattern[self._at :].partition("}")
            if not found:
                raise self.error("unclosed Unicode class", start)
            self._at += len(name) + 1
        leaf = classes.unicode_class(name, negated=kind == "P")
        if leaf is None:
            raise self.error(f"Unicode class {name!r} is not known", start)
        return leaf

    def _character_escape(self) -> str:
        start = self._at - 1
        kind = self._next("a pattern cannot end in a backslash")
        if kind in _CONTROL:
            return self._no_line_feed(_CONTROL[kind], start)
        if kind in _HEX_WIDTH:
            return self._no_line_feed(self._hexadecimal(kind, start), start)
        if kind.isdigit():
            raise self.error("back-references are not supported", start)
        if kind in "<>" or kind.isalnum() or not (kind.isascii() and kind.isprintable()):
            raise self.error(f"unrecognized escape sequence \\{kind}", start)
        if kind == " " and not self._flags.spaced:
            raise self.error("unrecognized escape sequence '\\ '", start)
        return kind

    def _no_line_feed(self, character: str, start: int) -> str:
        if character == "\n":
            raise self.error("a line feed cannot match: lines are searched one at a time", start)
        return character

    def _hexadecimal(self, kind: str, start: int) -> str:
        if self._accept("{"):
            digits, found, _ = self._pattern[self._at :].partition("}")
            self._at += len(digits) + 1
            if not found:
                raise self.error("unclosed hexadecimal escape", start)
        else:
            digits = self._pattern[self._at : self._at + _HEX_WIDTH[kind]]
            self._at += len(digits)
            if len(digits) < _HEX_WIDTH[kind]:
                raise self.error("incomplete hexadecimal escape", start)
        if not digits or len(digits) > 8 or not all(digit in "0123456789abcdefABCDEF" for digit in digits):
            raise self.error("invalid hexadecimal escape", start)
        number = int(digits, 16)
        if number > 0x10FFFF or 0xD800 <= number < 0xE000:
            raise self.error("not a Unicode character", start)
        return chr(number)

    # -- brackets ------------------------------------------------------------------------------

    def _bracket(self) -> Characters:
        start = self._at - 1
        whole = self._set(start, 0)
        if whole.is_empty:
            raise self.error("empty character classes are not allowed", start)
        return Characters(whole.source, self._flags.fold, whole.members)

    def _set(self, start: int, depth: int) -> classes.Leaf:
        """The rest of a bracket expression, nested ones and set operators included."""
        if depth > MAX_DEPTH:
            raise self.error(f"classes are nested more than {MAX_DEPTH} deep", start)
        fold = self._flags.fold
        negated = self._accept("^")
        items: list[classes.Leaf] = []
        self._skip_space()
        while self._accept("-"):
            items.append(classes.single("-"))
        if not items and self._accept("]"):
            items.append(classes.single("]"))
        left: classes.Leaf | None = None
        operator = ""
        while True:
            self._skip_space()
            found = next((sign for sign in ("&&", "--", "~~") if self._pattern.startswith(sign, self._at)), "")
            closed = not found and self._accept("]")
            if found or closed:
                right = classes.union(items, fold=fold)
                left = classes.combine(operator, left, right, fold=fold) if left else right
                if closed:
                    return classes.negate(left) if negated else left
                self._at += 2
                operator, items = found, []
            elif self.done:
                raise self.error("unclosed character class", start)
            else:
                items.append(self._item(depth))

    def _item(self, depth: int) -> classes.Leaf:
        at = self._at
        if self._accept("["):
            if self._peek() == ":":
                end = self._pattern.find(":]", self._at + 1)
                leaf = classes.posix_class(self._pattern[self._at + 1 : end]) if end > 0 else None
                if leaf is not None:
                    self._at = end + 2
                    return leaf
            return self._set(at, depth + 1)
        low = self._set_character()
        if isinstance(low, classes.Leaf):
            return low
        self._skip_space()
        if self._peek() != "-" or self._peek(1) in ("]", "-", ""):
            return classes.single(low)
        self._at += 1
        self._skip_space()
        high = self._set_character()
        if isinstance(high, classes.Leaf):
            raise self.error("invalid range boundary, must be a literal", at)
        if high < low:
            raise self.error("invalid character class range, the start must be <= the end", at)
        return classes.span(low, high)

    def _set_character(self) -> str | classes.Leaf:
        character = self._next("unclosed character class")
        if character != "\\":
            return character
        return self._class_escape() or self._character_escape()
