"""The walker reads ignore files as git does: git itself is asked about the same tree."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from everdex.config import IndexConfig
from everdex.discover import discover
from everdex.discover.beneath import open_root
from everdex.discover.ignore import OwnRules
from everdex.discover.walk import walk
from everdex.roots import Root, git_environment

Tree = dict[str, str]


def build(root: Path, tree: Tree) -> None:
    for name, text in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(
        ["git", "-C", str(root), *arguments], check=True, capture_output=True, env=git_environment()
    ).stdout


def listed_by_git(root: Path) -> set[bytes]:
    output = git(root, "ls-files", "-z", "-c", "-o", "--exclude-per-directory=.gitignore")
    return set(output.split(b"\0")[:-1])


def listed_by_walker(root: Path) -> set[bytes]:
    descriptor = open_root(root)
    try:
        return set(walk(descriptor, OwnRules(descriptor, IndexConfig()), None).paths)
    finally:
        os.close(descriptor)


FILES = (
    "a.py", "b.log", "build/x.py", "build/keep.py", "src/a.py", "src/b.log", "src/build/y.py", "src/deep/a/b/c.py",
    "foo/bar/baz.py", "foo/x/bar/baz.py", "foo/x/y/bar/baz.py", "docs/a[1].md", "docs/!bang.md", "docs/#hash.md",
    "docs/sp ace.md", "docs/trail .md", "docs/back\\slash.md", "docs/é.md", "docs/A.md", "docs/-.md", "docs/].md",
    "abc/x", "abd/x", "a-c/x", "a^c/x", "x1", "x2", "x10", "*", "q?.txt", "qa.txt", ".hidden", ".dir/in", "tail ",
    "foobar", "barfoo", "foo.bar.baz", "one/two/three/four.txt",
)  # fmt: skip

GOLDEN = {
    "plain name": "build\n",
    "directory only": "build/\na.py/\n",
    "anchored": "/build\n/a.py\n",
    "anchored by a middle slash": "src/build\nfoo/bar\n",
    "suffix": "*.log\n",
    "negation": "*.py\n!a.py\n",
    "later line wins": "!a.py\n*.py\n",
    "no way back below an ignored directory": "build/\n!build/keep.py\n",
    "way back when only the content is ignored": "build/*\n!build/keep.py\n",
    "leading double star": "**/build\n**/bar/baz.py\n",
    "middle double star": "foo/**/baz.py\nsrc/**/c.py\n",
    "trailing double star": "foo/**\nsrc/deep/**\n",
    "double star alone": "**\n!a.py\n",
    "double star and slash": "**/\n",
    "triple star": "foo/***/baz.py\n",
    "double star is one star inside a name": "*o**r\nf**r\n",
    "escaped slash after double star": "foo/**\\/baz.py\n",
    "one star does not cross": "foo/*/baz.py\n",
    "question mark is a byte": "docs/?.md\nq?.txt\n",
    "question mark does not cross": "abc?x\n",
    "class": "x[12]\nab[c-d]\n",
    "negated class": "x[!1]\na[^b]c\n",
    "class with bracket first": "docs/[]x].md\n",
    "class with dash": "docs/[a-].md\na[-x]c\n",
    "class across a slash matches nothing": "abc[/]x\nabc[a/]x\n",
    "posix classes": "x[[:digit:]]\ndocs/[[:upper:]].md\n",
    "posix class, malformed": "x[[:nonsense:]]\nx[[:digit]]\n",
    "class never closed": "x[1\ndocs/[\n",
    "class with escape": "docs/[\\]].md\nx[\\12]\n",
    "range backwards": "x[9-1]\n",
    "escaped star": "\\*\n",
    "escaped question mark": "q\\?.txt\n",
    "escaped bracket": "docs/a\\[1].md\n",
    "escaped bang and hash": "docs/\\!bang.md\n\\#hash.md\n",
    "comment": "#hash.md\n# a.py\n",
    "backslash in a name": "docs/back\\\\slash.md\n",
    "trailing backslash never matches": "a.py\\\nx1\n",
    "trailing spaces are dropped": "a.py   \n",
    "escaped trailing space is kept": "tail\\ \n",
    "escaped space inside": "sp\\ ace.md\n",
    "trailing tab is kept": "a.py\t\n",
    "only spaces": "   \nx1\n",
    "carriage returns": "a.py\r\nbuild\r\n",
    "no newline at the end": "a.py",
    "byte order mark": "\ufeffa.py\n",
    "slash alone": "/\n!/\nx1\n",
    "two trailing slashes": "build//\n",
    "two leading slashes": "//build\n",
    "hidden": ".*\n!.gitignore\n",
    "everything but": "/*\n!/src\n",
    "bang alone": "!\nx1\n",
    "double negation": "!!a.py\n",
    "non-ASCII": "é.md\n",
    "star at both ends": "*oo*\n",
    "many stars": "*o*b*r\n*.*.*\n",
    "star before slash": "*/bar\n*/*/three\n",
    "dot slash never matches": "./a.py\n",
}


@pytest.mark.parametrize("name", GOLDEN)
def test_walker_reads_one_ignore_file_like_git(tmp_path: Path, name: str) -> None:
    """Each feature of the syntax gives the same list as git."""
    build(tmp_path, dict.fromkeys(FILES, "x") | {".gitignore": GOLDEN[name]})
    git(tmp_path, "init", "-q")
    assert listed_by_walker(tmp_path) == listed_by_git(tmp_path)


NESTED: dict[str, Tree] = {
    "deeper file wins": {".gitignore": "*.py\n", "src/.gitignore": "!a.py\n"},
    "deeper file cannot open an ignored directory": {".gitignore": "src\n", "src/.gitignore": "!a.py\n"},
    "anchors are relative to the file": {"src/.gitignore": "/a.py\n/deep/a\n"},
    "middle slash is relative to the file": {"src/.gitignore": "deep/a\nsrc/a.py\n"},
    "sibling is untouched": {"foo/.gitignore": "*\n"},
    "self-ignored ignore file still counts": {"docs/.gitignore": "*\n", ".gitignore": ".gitignore\n"},
    "three levels": {".gitignore": "*.py\n", "foo/.gitignore": "!*.py\n", "foo/x/.gitignore": "baz.py\n"},
    "outer rule below inner": {"foo/.gitignore": "bar/\n", "foo/x/.gitignore": "!bar/\n"},
    "an ignore file that is a directory": {".gitignore/odd": "x"},
}


@pytest.mark.parametrize("name", NESTED)
def test_walker_reads_nested_ignore_files_like_git(tmp_path: Path, name: str) -> None:
    """Precedence between ignore files is git's."""
    build(tmp_path, dict.fromkeys(FILES, "x") | NESTED[name])
    git(tmp_path, "init", "-q")
    assert listed_by_walker(tmp_path) == listed_by_git(tmp_path)


def test_symlinked_ignore_file_is_not_followed(tmp_path: Path) -> None:
    """A `.gitignore` that is a symlink has no effect, in git and here."""
    build(tmp_path, {"rules": "*.py\n", "a.py": "x"})
    (tmp_path / ".gitignore").symlink_to("rules")
    git(tmp_path, "init", "-q")
    assert listed_by_walker(tmp_path) == listed_by_git(tmp_path)
    assert b"a.py" in listed_by_walker(tmp_path)


def test_directory_rules_do_not_match_symlinks_to_directories(tmp_path: Path) -> None:
    """`link/` means a real directory."""
    build(tmp_path, {"real/a.py": "x", ".gitignore": "link/\n"})
    (tmp_path / "link").symlink_to("real")
    git(tmp_path, "init", "-q")
    assert listed_by_walker(tmp_path) == listed_by_git(tmp_path)


def test_nested_repositories_are_listed_as_one_path(tmp_path: Path) -> None:
    """A repository inside is one entry ending in a slash; a directory merely named .git is not one."""
    build(tmp_path, {"a.py": "x", "inner/b.py": "x", "fake/.git/b.py": "x", "fake/c.py": "x"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "init", "-q", "inner")
    assert listed_by_walker(tmp_path) == listed_by_git(tmp_path)
    assert b"inner/" in listed_by_walker(tmp_path)


NAMES = ("a", "b", "ab", "abc", "foo", "bar", "a.b", "b.c", ".x", "a-b", "[a]", "é", "x y")
PIECES = ("*", "?", "a", "b", "ab", "foo", "bar", ".", "[ab]", "[!a]", "[a-c]", "\\*", "[[:alpha:]]", "é", "-", "x y")


def random_pattern(chance: random.Random) -> str:
    components = []
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        if chance.random() < 0.2:
            components.append("**")
        elif chance.random() < 0.4:
            components.append(chance.choice(NAMES))
        else:
            components.append("".join(chance.choice(PIECES) for _ in range(chance.randint(1, 4))))
    pattern = "/".join(components)
    prefix = chance.choice(("", "", "", "/", "!", "!/"))
    return prefix + pattern + chance.choice(("", "", "", "/", " ", "\r"))


def random_tree(chance: random.Random) -> Tree:
    tree: Tree = {}
    directories = [""]
    for _ in range(chance.randint(3, 9)):
        directories.append(f"{chance.choice(directories)}{chance.choice(NAMES)}/")
    for directory in directories:
        for name in chance.sample(NAMES, chance.randint(1, 6)):
            if f"{directory}{name}/" not in directories:
                tree[directory + name] = "x"
    for directory in {"", chance.choice(directories), chance.choice(directories)}:
        tree[f"{directory}.gitignore"] = "\n".join(random_pattern(chance) for _ in range(chance.randint(1, 6)))
    return tree


def test_walker_equals_git_on_random_trees(tmp_path: Path) -> None:
    """Random trees with random ignore files give the same list as git (fixed seed)."""
    chance = random.Random(20261115)
    for number in range(150):
        root = tmp_path / str(number)
        root.mkdir()
        build(root, random_tree(chance))
        git(root, "init", "-q")
        rules = {path: path.read_bytes() for path in root.rglob(".gitignore")}
        assert listed_by_walker(root) == listed_by_git(root), rules


def test_fingerprint_is_the_same_with_git_and_without(tmp_path: Path) -> None:
    """The ignore fingerprint does not depend on how the tree was listed."""
    chance = random.Random(7)
    for number in range(40):
        root = tmp_path / str(number)
        root.mkdir()
        build(root, random_tree(chance))
        git(root, "init", "-q")
        with_git = discover(Root(root, True), IndexConfig())
        without = discover(Root(root, False), IndexConfig())
        assert (with_git.source, without.source) == ("git", "walk")
        assert with_git.ignore_fingerprint == without.ignore_fingerprint
        assert with_git.files == without.files


def test_hostile_patterns_do_not_backtrack(tmp_path: Path) -> None:
    """A pattern made to explode costs no more than its length: this test would not end otherwise."""
    name = "a" * 200
    hostile = ["*a" * 100 + "b", "**/" * 60 + "*a*a*a*a*a*b", "[a]*" * 100 + "b"]
    build(tmp_path, {"/".join(["a"] * 80) + f"/{name}": "x", ".gitignore": "\n".join(hostile)})
    assert len(listed_by_walker(tmp_path)) == 2
