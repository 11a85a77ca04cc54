"""The tree that the store is measured on: django and sympy side by side, a git repository with one commit.

Both come as source distributions through pip, at pinned versions. (numpy, the other natural choice, cannot be had
that way without a compiler tool chain: pip configures its build before it hands the archive over.) Translation
catalogues are left out, because the peer never indexes them and the comparison is about the same files.
"""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from pathlib import Path

from benchmarks.packages import unpack_sdist

PACKAGES = ("django==5.2.19", "sympy==1.14.0")
SEED = 20_261_115
IDENTITY = ("-c", "user.name=benchmark", "-c", "user.email=benchmark@localhost", "-c", "commit.gpgsign=false")
DEFINITION = re.compile(r"^\s*(?:def|class)\s+([A-Za-z]\w{5,})", re.MULTILINE)
SENTENCE = re.compile(r'"""([A-Z][^"\n]{20,90})')


def obtain(corpora: Path, packages: tuple[str, ...] = PACKAGES) -> Path:
    """The tree, made once; a second call finds it ready."""
    tree = corpora / "store-tree"
    if (tree / ".git").exists():
        return tree
    # Unpacked elsewhere and copied, so that nothing but the packages' own files is in the tree.
    for requirement in packages:
        name = requirement.partition("==")[0]
        source = unpack_sdist(requirement, corpora / "sdists" / name)
        shutil.copytree(source, tree / name, symlinks=True, ignore=shutil.ignore_patterns("*.po", "*.mo"))
    git(tree, "init", "--quiet")
    git(tree, "add", "--all", "--force")
    git(tree, "commit", "--quiet", "--message", "the tree")
    return tree


def git(tree: Path, *arguments: str) -> str:
    run = subprocess.run(["git", *IDENTITY, *arguments], cwd=tree, check=True, stdout=subprocess.PIPE, text=True)
    return run.stdout


def restore(tree: Path) -> None:
    """Back to the commit, whatever an interrupted run left behind."""
    git(tree, "reset", "--quiet", "--hard")
    git(tree, "clean", "--quiet", "-fdx")


def text_facts(tree: Path) -> tuple[int, int]:
    """(files, bytes) of the committed files that hold no NUL byte in their first block."""
    count, size = 0, 0
    for name in git(tree, "ls-files", "-z").split("\0"):
        path = tree / name
        if name and path.is_file() and not path.is_symlink():
            with path.open("rb") as file:
                if b"\0" not in file.read(8192):
                    count, size = count + 1, size + os.stat(path).st_size
    return count, size


def sample_queries(tree: Path, count: int) -> list[str]:
    """Half names of definitions, half first sentences of docstrings, drawn from the tree with a fixed seed."""
    names: set[str] = set()
    sentences: set[str] = set()
    for path in tree.rglob("*.py"):
        text = path.read_text(encoding="utf-8", errors="replace")
        names.update(DEFINITION.findall(text))
        sentences.update(sentence.strip() for sentence in SENTENCE.findall(text))
    generator = random.Random(SEED)
    half = count // 2
    drawn = generator.sample(sorted(names), half) + generator.sample(sorted(sentences), count - half)
    generator.shuffle(drawn)
    return drawn
