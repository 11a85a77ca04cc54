"""Which files a shell command line writes, as far as that can be told without running it.

Understands redirections, here-documents, quoting, `cd`, and the commands an agent edits with. What depends on the
shell's state (variables, globs) is not guessed: it makes the answer "somewhere in the tree". Being wrong costs a line
of advice, never freshness, because the daemon compares the tree itself. Imports nothing that a hook has not paid for.
"""

from __future__ import annotations

import os

_SPACE = " \t\r"
_OPERATORS = (  # longest first: `&>>` is not `&` and `>>`
    "&>>", "<<<", "<<-", "&&", "||", ";;", "|&", "&>", ">>", ">|", ">&", "<<", "<>", "<&",
    ">", "<", ";", "|", "&", "(", ")",
)  # fmt: skip
_WRITING = frozenset({">", ">>", ">|", "&>", "&>>", "<>", ">&"})
_READING = frozenset({"<", "<<<", "<&"})
_WRAPPERS = frozenset(
    {"sudo", "env", "command", "time", "nohup", "nice", "exec", "builtin", "then", "do", "else", "!", "{"}
)
_SHELLS = frozenset({"sh", "bash", "zsh", "dash"})
_GIT_WRITES = frozenset(
    {
        "checkout", "restore", "switch", "stash", "reset", "apply", "am", "merge", "rebase", "pull", "cherry-pick",
        "revert", "clean", "rm", "mv",
    }
)  # fmt: skip
_EVERY_ARGUMENT = frozenset({"tee", "touch", "rm", "truncate"})
_MAX_DEPTH = 4
_MAX_COMMAND = 65_536


class Writes:
    """`paths` were written; with `tree`, files that cannot be named were too."""

    __slots__ = ("paths", "tree")

    def __init__(self, paths: list[str], tree: bool) -> None:
        self.paths = paths
        self.tree = tree

    def __bool__(self) -> bool:
        return bool(self.paths) or self.tree


def writes(command: str, directory: str) -> Writes:
    """What a command line, run in a directory, has written."""
    reader = _Reader(directory)
    reader.read(command[:_MAX_COMMAND], 0)
    # A program that was cut off could have written anything after the cut.
    return Writes(list(dict.fromkeys(reader.paths)), reader.tree or len(command) > _MAX_COMMAND)


class _Reader:
    def __init__(self, directory: str) -> None:
        self.paths: list[str] = []
        self.tree = False
        self._directory = directory
        self._outer: list[str] = []

    def read(self, command: str, depth: int) -> None:
        """One command line, simple command by simple command."""
        words: list[str | None] = []
        redirect = ""
        for kind, text in _tokens(command):
            if kind == "nested":
                if depth < _MAX_DEPTH:
                    self.read(text or "", depth + 1)
                continue
            if kind == "word":
                if redirect:
                    self._redirected(redirect, text)
                    redirect = ""
                else:
                    words.append(text)
                continue
            if text in _WRITING or text in _READING:
                redirect = text or ""
                if words and words[-1] is not None and words[-1].isdigit() and kind == "joined":
                    words.pop()  # 2>file: a descriptor, not an argument
                continue
            self._simple(words, depth)
            words, redirect = [], ""
            if text == "(":
                self._outer.append(self._directory)
            elif text == ")" and self._outer:
                self._directory = self._outer.pop()
        self._simple(words, depth)

    def _redirected(self, operator: str, target: str | None) -> None:
        if operator in _READING or (operator == ">&" and target is not None and (target.isdigit() or target == "-")):
            return
        self._write(target)

    def _write(self, target: str | None) -> None:
        if target is None:
            self.tree = True
        elif target and not target.startswith("/dev/"):
            self.paths.append(os.path.normpath(os.path.join(self._directory, os.path.expanduser(target))))

    def _simple(self, words: list[str | None], depth: int) -> None:
        """A command without its redirections; a word is None when only the shell knows it."""
        while words and (words[0] in _WRAPPERS or _is_assignment(words[0])):
            words = words[1:]
        if not words or words[0] is None:
            return
        name, rest = os.path.basename(words[0]), words[1:]
        if name == "cd":
            target = rest[0] if rest else "~"
            if target is not None and target != "-":
                self._directory = os.path.normpath(os.path.join(self._directory, os.path.expanduser(target)))
        elif name in _SHELLS and "-c" in rest[:-1]:
            script = rest[rest.index("-c") + 1]
            if script is not None and depth < _MAX_DEPTH:
                self.read(script, depth + 1)
        elif name in _EVERY_ARGUMENT:
            for argument in _operands(rest, "s" if name == "truncate" else ""):
                self._write(argument)
        elif name == "sed":
            self._sed(rest)
        elif name in ("mv", "cp", "ln", "install"):
            self._copied(name, rest)
        elif name == "patch":
            self.tree = True
        elif name == "git":
            self._git(rest)

    def _sed(self, words: list[str | None]) -> None:
        options = [word for word in words if word is not None and word.startswith("-")]
        in_place = any(o.startswith(("--in-place", "-i")) or (o[1:2] != "-" and "i" in o[1:3]) for o in options)
        if not in_place:
            return
        operands = _operands(words, "ef")
        scripted = any(o[:2] in ("-e", "-f") or o.startswith(("--expression", "--file")) for o in options)
        for path in operands if scripted else operands[1:]:
            self._write(path)

    def _copied(self, name: str, words: list[str | None]) -> None:
        operands = _operands(words, "tS")
        into: str | None = None
        if "-t" in words[:-1]:
            into = words[words.index("-t") + 1]
        elif len(operands) >= 2:
            into = operands.pop()
        if into is None:
            self.tree = self.tree or bool(words)
            return
        folder = os.path.isdir(os.path.join(self._directory, into)) or into.endswith("/") or len(operands) > 1
        for source in operands:
            if name == "mv":
                self._write(source)
            self._write(None if source is None else os.path.join(into, os.path.basename(source)) if folder else into)

    def _git(self, words: list[str | None]) -> None:
        before = self._directory
        while words and words[0] is not None and words[0].startswith("-"):
            if words[0] == "-C" and len(words) > 1 and words[1] is not None:
                self._directory = os.path.normpath(os.path.join(self._directory, words[1]))
            words = words[2:] if words[0] in ("-C", "-c") else words[1:]
        if words and words[0] in _GIT_WRITES:
            self.tree = True
            if "--" in words:
                for path in words[words.index("--") + 1 :]:
                    self._write(path)
        self._directory = before


def _is_assignment(word: str | None) -> bool:
    name, equals, _ = (word or "").partition("=")
    return bool(equals) and name.isidentifier()


def _operands(words: list[str | None], taking: str) -> list[str | None]:
    """Arguments that are not options; the letters in `taking` are options with a value of their own."""
    found: list[str | None] = []
    skip = only = False
    for word in words:
        if skip:
            skip = False
        elif only or word is None or not word.startswith("-") or word == "-":
            found.append(word)
        elif word == "--":
            only = True
        else:
            skip = len(word) == 2 and word[1] in taking
    return found


def _tokens(command: str) -> list[tuple[str, str | None]]:
    """(kind, text): word (text None when only the shell knows it), operator (joined: no space before), nested."""
    tokens: list[tuple[str, str | None]] = []
    waiting: list[tuple[str, bool]] = []  # delimiters of here-documents whose bodies begin at the next line
    place, end = 0, len(command)
    joined = False
    while place < end:
        character = command[place]
        if character in _SPACE or command.startswith("\\\n", place):
            place += 2 if character == "\\" else 1
            joined = False
        elif character == "#":
            place = _line_end(command, place)
        elif character == "\n":
            tokens.append(("operator", ";"))
            place += 1
            for delimiter, tabs in waiting:
                place = _after_body(command, place, delimiter, tabs)
            waiting, joined = [], False
        else:
            operator = next((o for o in _OPERATORS if command.startswith(o, place)), None)
            if operator in ("<<", "<<-"):
                place = _skip_space(command, place + len(operator))
                word, place, _ = _word(command, place)
                waiting.append((word or "", operator == "<<-"))
            elif operator is not None:
                tokens.append(("joined" if joined else "operator", operator))
                place += len(operator)
            else:
                word, place, nested = _word(command, place)
                tokens.append(("word", word))
                tokens.extend(("nested", inner) for inner in nested)
                joined = True
                continue
            joined = False
    return tokens


def _skip_space(command: str, place: int) -> int:
    while place < len(command) and command[place] in _SPACE:
        place += 1
    return place


def _line_end(command: str, place: int) -> int:
    found = command.find("\n", place)
    return len(command) if found < 0 else found


def _after_body(command: str, place: int, delimiter: str, tabs: bool) -> int:
    while place < len(command):
        stop = _line_end(command, place)
        line = command[place:stop].rstrip("\r")
        place = min(stop + 1, len(command))
        if (line.lstrip("\t") if tabs else line) == delimiter:
            return place
    return place


def _word(command: str, place: int) -> tuple[str | None, int, list[str]]:
    """A word, where it ends, and the commands substituted into it; None for a word only the shell can know."""
    pieces: list[str] = []
    nested: list[str] = []
    known = True
    quote = ""
    while place < len(command):
        character = command[place]
        if quote == "'":
            if character == "'":
                quote = ""
            else:
                pieces.append(character)
            place += 1
        elif character == "\\" and place + 1 < len(command):
            following = command[place + 1]
            # Inside double quotes a backslash only escapes what would otherwise mean something.
            pieces.append(following if not quote or following in '"\\$`' else character + following)
            place += 2
        elif command.startswith("$(", place) or character == "`":
            inner, place = _substituted(command, place)
            nested.append(inner)
            known = False
        elif character in "'\"" and (not quote or character == quote):
            quote = "" if quote else character
            place += 1
        elif not quote and (character in _SPACE or character == "\n" or character in "|&;()<>"):
            break
        else:
            known = known and character != "$" and (bool(quote) or character not in "*?[")
            pieces.append(character)
            place += 1
    return ("".join(pieces) if known else None), place, nested


def _substituted(command: str, place: int) -> tuple[str, int]:
    """The command between `$(` and its `)`, or between backticks, and where that ends."""
    if command[place] == "`":
        stop = command.find("`", place + 1)
        stop = len(command) if stop < 0 else stop
        return command[place + 1 : stop], stop + 1
    depth, start = 0, place + 2
    for at in range(place + 1, len(command)):
        if command[at] == "(":
            depth += 1
        elif command[at] == ")":
            depth -= 1
            if not depth:
                return command[start:at], at + 1
    return command[start:], len(command)
