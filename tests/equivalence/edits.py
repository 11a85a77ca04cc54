"""Random edits of a working tree, from a seed: everything an editor, a shell or git does to one.

Names are few and shared between files and languages, so that queries find many equals and order matters.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

from everdex import limits
from support.trees import commit_all, run_git

_NAMES = ("snapshot", "segment", "lease", "digest", "reader", "writer")
_DIRECTORIES = ("", "core/", "core/deep/", "web/", "docs/", "tests/")
_IGNORES = ("*.md\n", "web/\n", "tests/*.py\n!tests/test_*.py\n", "", "a1*\n", "docs/\n")

_FIRST_LINES = ("#!/usr/bin/env python3\n", "#!/bin/sh\n", "#!/opt/unheard-of\n", "")

# Language by ending; {n} is a name, {N} the same capitalised, {i} a number of four digits.
_TEXTS = {
    ".py": (
        'import os\n\n\nclass {N}View:\n    """Reads the {n} once."""\n\n    limit = {i}\n\n'
        "    def open_{n}(self, path):\n"
        "        # pin before reading\n        return self.read_{n}(path, {i})\n\n\n"
        "def read_{n}(path, count):\n    total = {i}\n    for step in range(count):\n"
        "        total += step\n    return total\n"
    ),
    ".js": (
        "export function load{N}(path) {{\n  const limit = {i};\n  return path + limit;\n}}\n\n"
        "class {N}Store {{\n  publish{N}(item) {{\n    return item;\n  }}\n}}\n"
    ),
    ".go": (
        "package {n}\n\n// {N}View holds one {n}.\ntype {N}View struct {{\n\tlimit int\n}}\n\n"
        "func Open{N}(path string) int {{\n\treturn {i}\n}}\n"
    ),
    ".rs": "pub struct {N}View {{ limit: u32 }}\n\nimpl {N}View {{\n    pub fn open(path: &str) -> u32 {{ {i} }}\n}}\n",
    ".md": "# The {n}\n\nHow a {n} is opened and read, {i} times.\n\n"
    "```python\ndef {n}_example():\n    return {i}\n```\n\n## More\n\nEnd.\n",
    ".html": "<html><body><p>{n} {i}</p>\n<script>\nfunction show{N}() {{ return {i}; }}\n</script></body></html>\n",
    ".toml": "[{n}]\nlimit = {i}\nname = \"{N}View\"\n",
    ".txt": "the {n} of the reader {i}\n",
}


def start(root: Path, seed: int, *, git: bool = True) -> Editor:
    """A few files: a repository with one commit, or a plain directory."""
    root.mkdir(parents=True)
    editor = Editor(root, seed, git)
    for _ in range(12):
        editor.add()
    if git:
        run_git(root, "init", "-q", "-b", "main")
        commit_all(root)
    return editor


class Editor:
    """Makes one random edit at a time; what it does depends on the seed and its own history only."""

    def __init__(self, root: Path, seed: int, git: bool) -> None:
        self._root = root
        self._git = git
        self._chance = random.Random(seed)
        self._branches = 0
        self._fresh = 0
        self._seen: list[tuple[Path, bytes]] = []

    def step(self) -> str:
        """One edit; its name."""
        edits: tuple[Callable[[], None], ...] = (
            self.add, self.add, self.modify, self.modify, self.same_size, self.empty, self.delete, self.rename,
            self.copy, self.move_directory, self.swap, self.to_symlink, self.touch, self.ignore, self.commit,
            self.branch, self.spoil, self.directory_to_file, self.script, self.recase, self.other_name, self.mode,
            self.back_in_time, self.grow, self.restore, self.in_place,
        )  # fmt: skip
        edit = self._chance.choice(edits)
        if not self._git and edit in (self.commit, self.branch):
            edit = self.nest if edit == self.commit else self.link_directory
        edit()
        return edit.__name__

    def _files(self, *, real: bool = True) -> list[Path]:
        found = []
        for parent, directories, names in os.walk(self._root):
            directories[:] = sorted(set(directories) - {".git"})
            found += [Path(parent, name) for name in sorted(names) if not name.startswith(".")]
        return [path for path in found if not (real and path.is_symlink())]

    def _directories(self) -> list[Path]:
        found = (path for path in self._root.iterdir() if path.is_dir() and not path.is_symlink())
        return sorted(path for path in found if path.name != ".git")

    def _pick(self) -> Path:
        files = self._files()
        if len(files) < 3:
            self.add()
            files = self._files()
        return self._chance.choice(files)

    def _new_path(self, suffix: str) -> Path:
        self._fresh += 1
        prefix = self._chance.choice(("a", "b", "test_"))
        path = self._root / self._chance.choice(_DIRECTORIES) / f"{prefix}{self._fresh}{suffix}"
        for parent in reversed(path.relative_to(self._root).parents):
            above = self._root / parent
            if os.path.lexists(above) and not above.is_dir():  # a directory was turned into a file or a link
                return self._root / path.name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _text(self, suffix: str) -> str:
        name = self._chance.choice(_NAMES)
        one = _TEXTS.get(suffix, _TEXTS[".txt"])
        return "".join(
            one.format(n=name, N=name.capitalize(), i=self._chance.randint(1000, 9999))
            for _ in range(self._chance.choice((1, 1, 2, 6)))
        )

    def add(self) -> None:
        suffix = self._chance.choice(sorted(_TEXTS))
        self._new_path(suffix).write_text(self._text(suffix))

    def modify(self) -> None:
        path = self._pick()
        path.write_text(self._text(path.suffix) + path.read_bytes()[:400].decode("utf-8", "ignore"))

    def same_size(self) -> None:
        """Other content of the same length, with the old mtime put back."""
        path = self._pick()
        before, data = path.stat(), bytearray(path.read_bytes())
        for place, byte in enumerate(data):
            if chr(byte).isdigit():
                data[place] = ord("7") if byte != ord("7") else ord("8")
        path.write_bytes(data)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def empty(self) -> None:
        self._pick().write_bytes(b"")

    def delete(self) -> None:
        self._pick().unlink()

    def rename(self) -> None:
        path = self._pick()
        path.rename(self._new_path(path.suffix))

    def copy(self) -> None:
        path = self._pick()
        shutil.copy2(path, self._new_path(path.suffix))

    def move_directory(self) -> None:
        directories = self._directories()
        if directories:
            self._fresh += 1
            self._chance.choice(directories).rename(self._root / f"moved{self._fresh}")

    def swap(self) -> None:
        first, second = self._pick(), self._pick()
        if first != second:
            aside = first.with_name(".aside")
            first.rename(aside)
            second.rename(first)
            aside.rename(second)

    def to_symlink(self) -> None:
        path, target = self._pick(), self._pick()
        if path != target:
            path.unlink()
            path.symlink_to(os.path.relpath(target, path.parent))

    def touch(self) -> None:
        os.utime(self._pick())

    def ignore(self) -> None:
        where = self._chance.choice((".everdexignore", ".gitignore", "docs/.gitignore"))
        path = self._root / where
        if path.parent.is_dir():
            path.write_text(self._chance.choice(_IGNORES))

    def commit(self) -> None:
        commit_all(self._root)

    def branch(self) -> None:
        """Commit, then go to another branch or back, losing nothing but what that branch does not have."""
        commit_all(self._root)
        if self._branches and self._chance.random() < 0.5:
            run_git(self._root, "checkout", "-q", "-f", f"side{self._chance.randint(1, self._branches)}")
        else:
            self._branches += 1
            run_git(self._root, "checkout", "-q", "-f", "-b", f"side{self._branches}", "HEAD")

    def nest(self) -> None:
        """A directory becomes a repository of its own, or is one no more."""
        directories = self._directories()
        if directories:
            inside = self._chance.choice(directories)
            if (inside / ".git").exists():
                shutil.rmtree(inside / ".git")
            else:
                run_git(inside, "init", "-q")

    def link_directory(self) -> None:
        """A symlink that leads to a directory, inside the tree or out of it."""
        self._fresh += 1
        (self._root / f"link{self._fresh}").symlink_to(self._chance.choice(("core", "docs", "..", "nowhere")))

    def spoil(self) -> None:
        path = self._pick()
        self._seen.append((path, path.read_bytes()))
        path.write_bytes(self._chance.choice((b"\x00binary", b"caf\xe9 = 1\n", b"def broken(:\n  {{{\n")))

    def script(self) -> None:
        """A file whose first line alone says what it is, or that it is nothing."""
        path, first = self._root / self._chance.choice(("tool", "build", "run.cgi")), self._chance.choice(_FIRST_LINES)
        if not path.is_dir():
            path.unlink(missing_ok=True)
            path.write_text(first + self._text(".py"))

    def recase(self) -> None:
        """The same name in other letters."""
        path = self._pick()
        other = path.with_name(path.name.swapcase())
        if not self._has_twin(path):
            path.rename(other)

    def other_name(self) -> None:
        """The same bytes in another language, or in none that is known."""
        path = self._pick()
        other = path.with_suffix(self._chance.choice((*sorted(_TEXTS), ".unheard-of", ".lock", ".min.js")))
        if not os.path.lexists(other) and not self._has_twin(other):
            path.rename(other)

    def mode(self) -> None:
        """Executable or not; content and mtime stay."""
        path = self._pick()
        path.chmod(self._chance.choice((0o600, 0o644, 0o755)))

    def back_in_time(self) -> None:
        """Other content with an mtime of long ago, or of tomorrow."""
        path = self._pick()
        self._seen.append((path, path.read_bytes()))
        path.write_text(self._text(path.suffix))
        when = self._chance.choice((86_400, 1_000_000_000, 4_000_000_000)) * 1_000_000_000
        os.utime(path, ns=(when, when))

    def grow(self) -> None:
        """Beyond what is taken into the index, or so many lines that it has many chunks."""
        path = self._pick()
        self._seen.append((path, path.read_bytes()))
        if self._chance.random() < 0.5:
            os.truncate(path, limits.MAX_FILE_SIZE_BYTES + 1)
        else:
            path.write_text("".join(f"line {number} of many\n" for number in range(300)))

    def restore(self) -> None:
        """What was spoilt, replaced or too large is what it was."""
        if self._seen:
            path, data = self._chance.choice(self._seen)
            if path.parent.is_dir() and not path.is_dir() and not self._has_twin(path):
                path.unlink(missing_ok=True)
                path.write_bytes(data)

    def _has_twin(self, path: Path) -> bool:
        """Whether a name in other letters is there: both together are refused."""
        return any(each.name.lower() == path.name.lower() for each in path.parent.iterdir() if each != path)

    def in_place(self) -> None:
        """A few bytes are overwritten; the file is the same inode and as long."""
        path = self._pick()
        data = path.read_bytes()
        if data:
            with path.open("r+b") as stream:
                stream.seek(self._chance.randrange(len(data)))
                stream.write(b"q")

    def directory_to_file(self) -> None:
        directories = self._directories()
        if len(directories) > 2:
            gone = self._chance.choice(directories)
            shutil.rmtree(gone)
            gone.write_text("a directory no more\n")
