"""gitignore syntax: the bytes of an ignore file in, the deciding rule for one path out.

Promises git's own reading of every line (wildmatch over bytes, as in git's dir.c and wildmatch.c) in time
linear in the length of the name: an ignore file is untrusted, so no pattern may make matching backtrack.
Knows nothing of the file system. One departure: `a**/b` reads `**` as `*`, as git's manual says, where gits
before 2.52 let it cross directories when plain text stands before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

import msgspec

_SPECIAL: Final = re.compile(rb"[*?\[\\]")
_ANY: Final = b"[^/]"
_LETTERS: Final = frozenset(range(65, 91)) | frozenset(range(97, 123))
_DIGITS: Final = frozenset(range(48, 58))
_PRINTABLE: Final = frozenset(range(32, 127))
_SPACE: Final = frozenset(b" \t\n\r")
_CLASSES: Final[dict[bytes, frozenset[int]]] = {
    b"alnum": _LETTERS | _DIGITS,
    b"alpha": _LETTERS,
    b"blank": frozenset(b" \t"),
    b"cntrl": frozenset(range(32)) | {127},
    b"digit": _DIGITS,
    b"graph": _PRINTABLE - _SPACE,
    b"lower": frozenset(range(97, 123)),
    b"print": _PRINTABLE,
    b"punct": _PRINTABLE - _LETTERS - _DIGITS - {32},
    b"space": _SPACE,
    b"upper": frozenset(range(65, 91)),
    b"xdigit": _DIGITS | frozenset(b"abcdefABCDEF"),
}


class Rule(msgspec.Struct, frozen=True):
    """One line of an ignore file; `text` is the line as a person would quote it."""

    text: str
    line: int
    negated: bool
    directory_only: bool
    by_name: bool  # matched against the last path component, not the whole path
    pattern: bytes


def parse_rules(data: bytes) -> tuple[Rule, ...]:
    """The rules of an ignore file, in order; comments and blank lines are left out."""
    rules = []
    for number, raw in enumerate(data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        # git reads lines as C strings, so a NUL ends one.
        line = _without_trailing_spaces(raw.removesuffix(b"\r").split(b"\0", 1)[0])
        if not line or line.startswith(b"#"):
            continue
        negated = line.startswith(b"!")
        pattern = line[1:] if negated else line
        directory_only = pattern.endswith(b"/")
        if directory_only:
            pattern = pattern[:-1]
        by_name = b"/" not in pattern
        if not by_name:
            pattern = pattern.removeprefix(b"/")
        text = line.decode("utf-8", "backslashreplace")
        rules.append(Rule(text, number, negated, directory_only, by_name, pattern))
    return tuple(rules)


def _without_trailing_spaces(line: bytes) -> bytes:
    """Unescaped trailing spaces do not count; a tab does."""
    end = position = 0
    while position < len(line):
        if line[position] == 0x5C:  # a backslash keeps the byte after it, even a space
            position += 1
            end = min(position + 1, len(line))
        elif line[position] != 0x20:
            end = position + 1
        position += 1
    return line[:end]


class RuleSet:
    """The rules of one ignore file, ready to be asked which of them decides a path below it."""

    __slots__ = ("_directories", "_files", "rules", "source")

    def __init__(self, source: str, data: bytes) -> None:
        self.source = source
        self.rules = parse_rules(data)
        self._files: _Table | None = None
        self._directories: _Table | None = None

    def decide(self, path: bytes, name: bytes, is_directory: bool) -> Rule | None:
        """The last rule that matches, negated or not; `path` is relative to the ignore file's directory."""
        if is_directory:
            if self._directories is None:
                self._directories = _Table(self.rules)
            table = self._directories
        else:
            if self._files is None:
                self._files = _Table(rule if not rule.directory_only else None for rule in self.rules)
            table = self._files
        number = table.find(path, name)
        return None if number < 0 else self.rules[number]

    def describe(self, rule: Rule) -> str:
        """`file:line: pattern`, as `git check-ignore -v` would say."""
        return f"{self.source}:{rule.line}: {rule.text}"


class _Table:
    """Rules compiled together: a dictionary for plain names, one alternation for the rest."""

    __slots__ = ("_names", "_paths", "_plain_names", "_plain_paths")

    def __init__(self, rules: Iterable[Rule | None]) -> None:
        self._plain_names: dict[bytes, int] = {}
        self._plain_paths: dict[bytes, int] = {}
        names: list[tuple[int, bytes]] = []
        paths: list[tuple[int, bytes]] = []
        for number, rule in enumerate(rules):
            if rule is None:
                continue
            if not _SPECIAL.search(rule.pattern):
                (self._plain_names if rule.by_name else self._plain_paths)[rule.pattern] = number
            elif (regex := translate(rule.pattern)) is not None:
                (names if rule.by_name else paths).append((number, regex))
        self._names = _alternation(names)
        self._paths = _alternation(paths)

    def find(self, path: bytes, name: bytes) -> int:
        number = max(self._plain_names.get(name, -1), self._plain_paths.get(path, -1))
        for compiled, subject in ((self._names, name), (self._paths, path)):
            if compiled is not None:
                regex, numbers = compiled
                found = regex.match(subject)
                if found is not None and found.lastindex is not None:
                    number = max(number, numbers[found.lastindex - 1])
        return number


def _alternation(wild: list[tuple[int, bytes]]) -> tuple[re.Pattern[bytes], tuple[int, ...]] | None:
    """Later rules first, so that the first alternative to match is the last rule that does."""
    if not wild:
        return None
    wild = wild[::-1]
    regex = re.compile(b"(?:" + b"|".join(b"(" + text + b")" for _, text in wild) + rb")\Z", re.DOTALL)
    return regex, tuple(number for number, _ in wild)


_STAR: Final = b"*"
_SLASH: Final = b"/"
_ANY_DIRECTORIES: Final = b"**/"
_ANYTHING: Final = b"**"


def translate(pattern: bytes) -> bytes | None:
    """A regular expression (without anchors) for a wildmatch pattern; None when it can match nothing.

    What follows a star may match at several places, but only the first matters: whatever a later one leaves
    over, the next star could have skipped. So all but the last piece is an atomic group: nothing backtracks.
    """
    tokens = _tokens(pattern)
    if tokens is None:
        return None
    runs: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _ANY_DIRECTORIES:
            runs.append([])
        else:
            runs[-1].append(token)
    regexes = [_run(run) for run in runs]
    parts = [regexes[0]]
    for index, regex in enumerate(regexes[1:], start=1):
        skipping = rb"(?:[^/]*/)*?" + regex
        parts.append(skipping if index == len(regexes) - 1 else b"(?>" + skipping + b")")
    return b"".join(parts)


def _run(tokens: list[bytes]) -> bytes:
    """The pieces between two `**/`: a fixed number of path components."""
    components: list[list[bytes]] = [[]]
    for token in tokens:
        if token == _SLASH:
            components.append([])
        else:
            components[-1].append(token)
    return b"/".join(_component(component) for component in components)


def _component(tokens: list[bytes]) -> bytes:
    if _ANYTHING in tokens:
        return b".*"
    pieces: list[bytes] = [b""]
    for token in tokens:
        if token == _STAR:
            pieces.append(b"")
        else:
            pieces[-1] += token
    if len(pieces) == 1:
        return pieces[0]
    middle = b"".join(b"(?>[^/]*?" + piece + b")" for piece in pieces[1:-1])
    return pieces[0] + middle + b"[^/]*" + pieces[-1] + rb"(?=/|\Z)"


def _tokens(pattern: bytes) -> list[bytes] | None:
    tokens: list[bytes] = []
    position, end = 0, len(pattern)
    while position < end:
        byte = pattern[position : position + 1]
        if byte == b"*":
            stop = position
            while pattern[stop : stop + 1] == b"*":
                stop += 1
            after = pattern[stop : stop + 1]
            whole = position == 0 or pattern[position - 1 : position] == b"/"
            if stop - position > 1 and whole and after == b"":
                tokens.append(_ANYTHING)
            elif stop - position > 1 and whole and after == b"/":
                tokens.append(_ANY_DIRECTORIES)
                stop += 1
            elif stop - position > 1 and whole and pattern[stop : stop + 2] == b"\\/":
                # git tries "no directory at all" only for a bare slash: here there must be one.
                tokens += [_STAR, _SLASH, _ANY_DIRECTORIES]
                stop += 2
            else:
                tokens.append(_STAR)
            position = stop
        elif byte == b"[":
            bracket = _bracket(pattern, position + 1)
            if bracket is None:
                return None
            members, position = bracket
            tokens.append(_class(members))
        elif byte == b"\\":
            if position + 1 == end:
                return None  # a trailing backslash is an invalid pattern that never matches
            escaped = pattern[position + 1 : position + 2]
            tokens.append(_SLASH if escaped == b"/" else re.escape(escaped))
            position += 2
        else:
            tokens.append(_SLASH if byte == b"/" else _ANY if byte == b"?" else re.escape(byte))
            position += 1
    return tokens


def _class(members: frozenset[int]) -> bytes:
    if not members:
        return rb"(?!)"
    return b"[" + b"".join(b"\\x%02x" % member for member in sorted(members)) + b"]"


def _bracket(pattern: bytes, position: int) -> tuple[frozenset[int], int] | None:
    """The bytes a `[...]` matches and where the pattern goes on; None for a malformed one: no match."""
    negated = pattern[position : position + 1] in (b"!", b"^")
    if negated:
        position += 1
    members: set[int] = set()
    previous: int | None = None
    first = True
    while True:
        if position >= len(pattern):
            return None
        byte = pattern[position]
        if byte == 0x5D and not first:  # "]" closes, unless it comes first
            break
        first = False
        if byte == 0x5C:
            position += 1
            if position >= len(pattern):
                return None
            byte = pattern[position]
            members.add(byte)
            previous = byte
        elif byte == 0x2D and previous is not None and pattern[position + 1 : position + 2] not in (b"", b"]"):
            position += 1
            if pattern[position] == 0x5C:
                position += 1
                if position >= len(pattern):
                    return None
            members.update(range(previous, pattern[position] + 1))
            previous = None
        elif byte == 0x5B and pattern[position + 1 : position + 2] == b":":
            close = pattern.find(b"]", position + 2)
            if close < 0:
                return None
            name = pattern[position + 2 : close]
            if name.endswith(b":"):
                named = _CLASSES.get(name[:-1])
                if named is None:
                    return None
                members.update(named)
                position, previous = close, None
            else:
                members.add(byte)
                previous = byte
        else:
            members.add(byte)
            previous = byte
        position += 1
    chosen = frozenset(range(1, 256)) - members if negated else frozenset(members)
    return chosen - {0x2F}, position + 1
