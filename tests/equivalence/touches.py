"""Small edits, each at one place of a tree: a word, a line, a definition, a file, or what a project file says.

After a large edit most of what could be stale is asked again anyway. After these little is, and what is not is what
`oracle` compares.
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable
from typing import Final

from equivalence.splices import Span, Splicer, column_of, grammar_of, indented

_WORD: Final = re.compile(rb"[A-Za-z_$]\w*")
_TOKEN: Final = re.compile(rb"\w+|[^\w\s]")
_CALLED: Final = re.compile(rb"[A-Za-z_]\w*(?=\s*\()")
_TAKING: Final = re.compile(rb"(?:def|function|func|fn|fun)\s+[A-Za-z_]\w*\([^()]*\)")
_PASSING: Final = re.compile(rb"(?<!def )(?<!function )\b[A-Za-z_]\w*\([^()\n]*\)")
_CLASS: Final = re.compile(rb"(?m)^class (\w+)")
_CLASS_HEAD: Final = re.compile(rb"(?m)^[ \t]*class \w+(?:\([^()]*\))?(?=:)")
_STRING: Final = re.compile(rb"\"[^\"\n]{1,60}\"|'[^'\n]{1,60}'")
_IMPORTED: Final = re.compile(rb"""(?:from|require\(|import)\s*['"]([^'"\n]+)""")
_DEFINITION: Final = re.compile(
    "definition|declaration|function|method|class|struct|impl|trait|interface|import|export"
)
_PROJECT: Final = (
    "package.json", "tsconfig.json", "jsconfig.json", "go.mod", "Cargo.toml", "pyproject.toml", "conftest.py",
    "__init__.py", "composer.json", "build.sbt",
)  # fmt: skip
_MODIFIERS: Final = {
    "javascript": "export|export default|async|static|get|set|await|const|new|function|return|...|*|#|typeof|import"
    "|this.",
    "typescript": "export|export default|async|static|type|abstract|readonly|declare|await|import type|private|override"
    "|get|new|return|...|interface|class|keyof|typeof|this.|enum|namespace",
    "python": "async|await|global|nonlocal|return|yield|*|**|@staticmethod|@classmethod|@property|del|lambda:|self.|not"
    "|@overload|from . import|import|with|class|def",
    "go": "type|func|var|const|*|&|defer|go|return|struct",
    "rust": "pub|pub(crate)|mod|use|async|const|static|&|mut|impl|dyn|unsafe|crate::|self::|super::",
    "java": "static|private|abstract|final|public|default|new|protected|synchronized|interface|@Override",
    "csharp": "static|private|abstract|override|virtual|async|new|internal|partial|using|sealed|this",
    "c": "static|extern|inline|struct|const|*|typedef|#define|&|unsigned",
    "cpp": "static|virtual|const|*|&|inline|explicit|using|template<class T>|friend|struct|typename|override",
    "kotlin": "private|open|override|suspend|companion|inline|internal|abstract|object|fun|lateinit|vararg|data",
    "swift": "static|private|override|mutating|extension|class|func|lazy|weak|async|final|try",
    "scala": "implicit|private|override|object|case|lazy|given|sealed|abstract|trait|def|val",
    "ruby": "private|self.|def|module|class|include|extend|attr_reader|*|&|@|super",
    "php": "static|private|abstract|final|public|function|new|use|namespace|&|$|trait",
    "lua": "local|function|return|M.|self:", "bash": "local|export|source|function|unset|command",
}  # fmt: skip
_DEFINED: Final = {
    "javascript": "export function %s(x) { return x; }\n", "typescript": "export function %s(x) { return x; }\n",
    "python": "def %s(x):\n    return x\n", "go": "func %s(x int) int { return x }\n",
    "rust": "pub fn %s(x: i32) -> i32 { x }\n", "java": "class %s { }\n", "csharp": "class %s { }\n",
    "c": "int %s(int x) { return x; }\n", "cpp": "int %s(int x) { return x; }\n",
    "kotlin": "fun %s(x: Int) = x\n", "swift": "func %s(_ x: Int) -> Int { x }\n", "scala": "object %s { }\n",
    "ruby": "def %s(x)\n  x\nend\n", "php": "function %s($x) { return $x; }\n",
    "lua": "function %s(x)\n  return x\nend\n", "bash": "%s() { true; }\n",
}  # fmt: skip


class Toucher(Splicer):
    """One edit of the tree, that the seed chooses."""

    def touch(self, only: frozenset[str] = frozenset()) -> str:
        """Its name, one of `only` these where there are some; where it finds nothing to do the tree is as it was."""
        edits: tuple[tuple[Callable[[], None], int], ...] = (
            (self.other_word, 10), (self.swap_words, 6), (self.drop_token, 6), (self.other_token, 6),
            (self.add_modifier, 10), (self.other_string, 2), (self.drop_line, 5), (self.double_line, 3),
            (self.move_line, 4), (self.swap_lines, 3), (self.drop_definition, 3), (self.double_definition, 3),
            (self.move_definition, 5), (self.define, 5), (self.project, 4), (self.break_file, 2),
            (self.move_file, 3), (self.package, 2), (self.other_language, 2), (self.remove, 2),
            (self.copy_file, 1), (self.empty, 1), (self.replace, 4), (self.insert, 4),
            (self.take_more, 4), (self.pass_more, 4), (self.take_less, 4), (self.take_renamed, 4),
            (self.add_base, 3), (self.drop_base, 3),
        )  # fmt: skip
        chosen = [each for each in edits if not only or each[0].__name__ in only]
        edit = self._chance.choices([each for each, _ in chosen], [weight for _, weight in chosen])[0]
        if self.tree:
            edit()
        return edit.__name__

    def _replaced(self, pattern: re.Pattern[bytes], to: Callable[[bytes, list[bytes]], bytes]) -> None:
        path = self._path()
        data = self.tree[path]
        found = list(pattern.finditer(data))
        if found:
            one = self._pick(found)
            text = to(one.group(), [each.group() for each in found])
            self._put(path, data[: one.start()] + text + data[one.end() :])

    def other_word(self) -> None:
        """A word becomes another of its file, or of any."""
        everywhere = self._chance.random() < 0.4
        self._replaced(_WORD, lambda _, found: self._name() if everywhere else self._pick(found))

    def other_token(self) -> None:
        self._replaced(_TOKEN, lambda _, found: self._pick(found))

    def drop_token(self) -> None:
        self._replaced(_TOKEN, lambda _, found: b"")

    def other_string(self) -> None:
        """What is written in quotes: modules, names of attributes, keys."""
        words = _WORD.findall(self.tree[self._path()])
        named = b'"%s"' % self._pick(words) if words and self._chance.random() < 0.3 else b""
        self._replaced(_STRING, lambda _, found: named or self._pick(found))

    def swap_words(self) -> None:
        """Two words of one line, or of one file."""
        path = self._path()
        data = self.tree[path]
        found = list(_WORD.finditer(data))
        if len(found) < 2:
            return
        place = self._chance.randrange(len(found) - 1)
        one = found[place]
        near = found[place + 1 : place + 6] if self._chance.random() < 0.7 else found[place + 1 :]
        other = self._pick(near)
        between = data[one.end() : other.start()]
        self._put(path, data[: one.start()] + other.group() + between + one.group() + data[other.end() :])

    def add_modifier(self) -> None:
        """A keyword or a mark before a word, of those that change what the word means."""
        path = self._path()
        language = grammar_of(path, self.tree[path]).replace("tsx", "typescript")
        words = _MODIFIERS.get(language, "").split("|")
        first = self._chance.random() < 0.5
        self._replaced(
            re.compile(rb"(?m)^[ \t]*\w+" if first else rb"[A-Za-z_]\w*"),
            lambda word, _: word[: len(word) - len(word.lstrip())] + self._pick(words).encode() + b" " + word.lstrip(),
        )

    def move_line(self) -> None:
        """To another place in its file, or to another file of its language."""
        path = self._path()
        lines = self._lines(path)
        line = lines.pop(self._chance.randrange(len(lines)))
        self.tree[path] = b"\n".join(lines)
        to = self._like(path) if self._chance.random() < 0.4 else path
        lines = self._lines(to)
        lines.insert(self._chance.randrange(len(lines) + 1), line)
        self._put(to, b"\n".join(lines))

    def swap_lines(self) -> None:
        path = self._path()
        lines = self._lines(path)
        if len(lines) > 1:
            at = self._chance.randrange(len(lines) - 1)
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
            self._put(path, b"\n".join(lines))

    def take_more(self) -> None:
        """A function takes one more behind the others, which may be called like what its body names."""
        name = self._name() if self._chance.random() < 0.7 else b"added"
        form = self._pick((b"%s=None", b"%s: int = 1", b"*, %s=''", b"%s=%s", b"%s", b"*%s", b"**%s"))
        written = form.replace(b"%s", name)
        self._replaced(_TAKING, lambda head, _: head[:-1] + (b"" if head.endswith(b"()") else b", ") + written + b")")

    def pass_more(self) -> None:
        """A call passes one more, by place or by name."""
        given = self._name() if self._chance.random() < 0.4 else b"added=" + self._name()
        self._replaced(_PASSING, lambda call, _: call[:-1] + (b"" if call.endswith(b"()") else b", ") + given + b")")

    def take_less(self) -> None:
        """A function takes one less; what stood for it in its body may be taken away, too."""
        self._taking(lambda given, place: [*given[:place], *given[place + 1 :]], b"None")

    def take_renamed(self) -> None:
        """A parameter is called otherwise, most often also in the body; or two of them change places."""
        name = self._name() if self._chance.random() < 0.4 else b"renamed"
        if self._chance.random() < 0.2:
            self._taking(lambda given, place: [*given[place:], *given[:place]], None)
        else:
            self._taking(lambda given, at: [*given[:at], _WORD.sub(name, given[at], 1), *given[at + 1 :]], name)

    def _taking(self, other: Callable[[list[bytes], int], list[bytes]], to: bytes | None) -> None:
        """Other parameters in the head of a function, and what stands for one of them in its body."""
        path = self._path()
        data = self.tree[path]
        heads = list(_TAKING.finditer(data))
        if not heads:
            return
        number = self._chance.randrange(len(heads))
        head, end = heads[number], heads[number + 1].start() if number + 1 < len(heads) else len(data)
        before, _, written = head.group()[:-1].partition(b"(")
        given = [each.strip() for each in written.split(b",") if each.strip()]
        if not given:
            return
        place = self._chance.randrange(len(given))
        name = _WORD.search(given[place])
        body = data[head.end() : end]
        if name is not None and to is not None and self._chance.random() < 0.8:
            body = re.sub(rb"\b%s\b" % re.escape(name.group()), to, body)
        text = before + b"(" + b", ".join(other(given, place)) + b")"
        self._put(path, data[: head.start()] + text + body + data[end:])

    def add_base(self) -> None:
        """A class inherits from one more: of its file, or of any."""
        names = sorted({name for data in self.tree.values() for name in _CLASS.findall(data)})
        if not names:
            return
        name = self._pick(names) if self._chance.random() < 0.8 else self._name()
        first = self._chance.random() < 0.3

        def more(head: bytes, _: list[bytes]) -> bytes:
            if not head.endswith(b")"):
                return head + b"(" + name + b")"
            before, _, given = head[:-1].partition(b"(")
            return before + b"(" + b", ".join([name, given] if first else [given, name]) + b")"

        self._replaced(_CLASS_HEAD, more)

    def drop_base(self) -> None:
        def less(head: bytes, _: list[bytes]) -> bytes:
            before, _, given = head.partition(b"(")
            bases = given[:-1].split(b",")
            bases.pop(self._chance.randrange(len(bases)))
            return before + (b"(" + b",".join(bases) + b")" if bases else b"")

        self._replaced(_CLASS_HEAD, less)

    def _like(self, path: str) -> str:
        """A file in the language of this one."""
        grammar = grammar_of(path, self.tree[path])
        return self._pick([each for each in sorted(self.tree) if grammar_of(each, self.tree[each]) == grammar])

    def _definition(self, path: str) -> Span | None:
        """One that stands on lines of its own, with what exports or decorates it."""
        data = self.tree[path]
        found = [
            each for each in self._spans(path)
            if _DEFINITION.search(each.kind) and not data[data.rfind(b"\n", 0, each.start) + 1 : each.start].strip()
        ]  # fmt: skip
        return self._pick(found) if found else None

    def drop_definition(self) -> None:
        path = self._path()
        one = self._definition(path)
        if one is not None:
            self._put(path, self.tree[path][: one.start] + self.tree[path][one.end :])

    def double_definition(self) -> None:
        path = self._path()
        one = self._definition(path)
        if one is not None:
            data = self.tree[path]
            again = b"\n" + column_of(data, one.start) + data[one.start : one.end]
            self._put(path, data[: one.end] + again + data[one.end :])

    def move_definition(self) -> None:
        path = self._path()
        one = self._definition(path)
        if one is None:
            return
        data = self.tree[path]
        text, before = data[one.start : one.end], column_of(data, one.start)
        self.tree[path] = data[: one.start] + data[one.end :]
        to = self._like(path)
        other, there = self.tree[to], self._definition(to)
        place = there.start if there is not None else len(other)
        after = column_of(other, place)
        self._put(to, other[:place] + indented(text, before, after) + b"\n" + after + other[place:])

    def define(self) -> None:
        """Something that is called somewhere is defined here, perhaps for the first time."""
        called = sorted({name for data in self.tree.values() for name in _CALLED.findall(data)})
        path = self._path()
        text = _DEFINED.get(grammar_of(path, self.tree[path]).replace("tsx", "typescript"))
        if called and text:
            self._put(path, self.tree[path] + text.replace("%s", self._pick(called).decode()).encode())

    def project(self) -> None:
        """A word of a project file is another, or there is one that says where imports lead."""
        known = [path for path in sorted(self.tree) if posixpath.basename(path) in _PROJECT and self.tree[path]]
        if known and self._chance.random() < 0.6:
            path = self._pick(known)
            data = self.tree[path]
            found = list((_TOKEN if self._chance.random() < 0.3 else _WORD).finditer(data))
            one = self._pick(found) if found else None
            if one is not None:
                word = self._pick((b"", self._name(), self._pick(found).group()))
                self._put(path, data[: one.start()] + word + data[one.end() :])
            return
        path = self._path()
        directory, name = posixpath.split(path)
        above = self._pick((directory, posixpath.dirname(directory), ""))
        inside = posixpath.relpath(path, above or ".")
        self._put(*self._configured(above, posixpath.splitext(name)[1], inside))

    def _configured(self, directory: str, ending: str, inside: str) -> tuple[str, bytes]:
        """A project file that leads to a file inside its directory."""
        word = self._name().decode("utf-8", "replace")
        if ending == ".py":
            stem = posixpath.splitext(inside)[0].replace("/", ".")
            name = self._pick(("__init__.py", "conftest.py", f"{word}.py", f"{word}/__init__.py", "__init__.pyi"))
            imports = f"from .{stem} import"
            text = self._pick(("", f"{imports} *\n", f"{imports} {word}\n", f"def {word}(): pass\n"))
            return posixpath.join(directory, name), text.encode()
        if ending == ".go":
            return posixpath.join(directory, "go.mod"), f"module x.org/{word}\n".encode()
        if ending == ".rs":
            other = self._name().decode("utf-8", "replace")
            package = self._pick((word, "shop-core"))
            renamed = self._pick(("", f'\n[dependencies]\n{other} = {{ package = "{package}" }}\n'))
            text = f'[package]\nname = "{word}"\n\n[lib]\npath = "{inside}"\n{renamed}'
            return posixpath.join(directory, "Cargo.toml"), text.encode()
        imported = _IMPORTED.findall(b"\n".join(self.tree.values()))
        wanted = self._pick(imported).decode("utf-8", "replace") if imported else word
        package, _, below = wanted.lstrip("./").partition("/")
        options = {"paths": {wanted: [f"./{inside}"], f"{package}/*": ["./*"]}, "baseUrl": "."}
        said = self._pick((
            ("package.json", {"name": package, "exports": {f"./{below}" if below else ".": f"./{inside}"}}),
            ("package.json", {"name": package, "main": inside, "type": self._pick(("module", "commonjs"))}),
            ("package.json", {"imports": {"#" + word: f"./{inside}"}, "browser": {wanted: f"./{inside}"}}),
            ("package.json", {"name": package, "module": f"./{inside}", "workspaces": ["*"]}),
            ("tsconfig.json", {"compilerOptions": options}), ("jsconfig.json", {"compilerOptions": options}),
            ("tsconfig.json", {"extends": f"./{inside}", "compilerOptions": {"rootDirs": [".", package]}}),
        ))  # fmt: skip
        return posixpath.join(directory, said[0]), json.dumps(said[1], indent=1).encode()
