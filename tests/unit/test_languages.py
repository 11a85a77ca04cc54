"""Languages, grammar pins and roles, all decided from the path alone."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from everdex.languages import GRAMMAR_VERSIONS, GRAMMARS, language_of, parsed_language, role_of

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


def test_pins_are_those_of_the_project_and_of_the_installation() -> None:
    """The fingerprinted grammar versions are the declared ones and the ones that really run."""
    declared = tomllib.loads(PYPROJECT.read_text())["project"]["dependencies"]
    pinned = dict(item.split("==") for item in declared if item.startswith("tree-sitter"))
    assert pinned == GRAMMAR_VERSIONS
    assert {name: version(name) for name in GRAMMAR_VERSIONS} == GRAMMAR_VERSIONS


def test_every_grammar_can_be_loaded() -> None:
    """Each named module has the named function."""
    for grammar in GRAMMARS.values():
        assert callable(getattr(importlib.import_module(grammar.module), grammar.function))


def test_importing_languages_loads_no_grammar() -> None:
    """Cold start pays for no parser."""
    code = "import sys, everdex.languages; print([m for m in sys.modules if m.startswith('tree_sitter')])"
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a/b.py", "python"), ("a.pyi", "python"), ("a.pyx", "cython"), ("a.mjs", "javascript"),
        ("a.jsx", "javascript"),
        ("a.ts", "typescript"), ("a.tsx", "tsx"), ("a.h", "c"), ("a.hpp", "cpp"), ("a.cc", "cpp"), ("A.PY", "python"),
        ("Makefile", "make"), ("Makefile.common", "make"), ("src/Dockerfile", "docker"), ("Dockerfile.dev", "docker"),
        ("CMakeLists.txt", "cmake"), ("LICENSE", "text"), ("README", "text"), ("README.md", "markdown"),
        (".bashrc", "bash"), ("Gemfile", "ruby"), ("Rakefile", "ruby"), ("go.mod", "go-mod"), ("BUILD", "bazel"),
        ("Jenkinsfile", "groovy"), ("a.rst", "rst"), ("a.tf", "hcl"), ("a.proto", "protobuf"), ("a.vue", "vue"),
        ("a.svg", None), ("a.ipynb", None), ("a.csv", None), ("a.po", None), ("package-lock.json", None),
        ("Cargo.lock", None), ("a.min.js", None), ("a.js.map", None), ("a.png", None), ("noextension", None),
        (".py", None),
    ],
)  # fmt: skip
def test_language_of(path: str, language: str | None) -> None:
    """A path's language comes from its name, then its extension; unknown and packed files have none."""
    assert language_of(path) == language


@pytest.mark.parametrize(
    ("info", "language"),
    [("py", "python"), ("Python3", "python"), ("c++", "cpp"), ("shell", "bash"), ("mermaid", None), ("", None)],
)
def test_parsed_language(info: str, language: str | None) -> None:
    """The words people write after a fence name grammars, or none."""
    assert parsed_language(info) == language


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("src/a.py", "source"), ("tests/a.py", "test"), ("src/test_a.py", "test"), ("a_test.go", "test"),
        ("src/FooTest.java", "test"), ("src/contest.java", "source"), ("src/latest.py", "source"),
        ("a.spec.ts", "test"),
        ("docs/a.py", "doc"), ("README.md", "doc"), ("LICENSE", "doc"), ("examples/a.py", "example"),
        ("vendor/x/a.go", "vendored"), ("third_party/a.c", "vendored"), ("a_pb2.py", "generated"),
        ("pyproject.toml", "config"), ("Dockerfile", "config"),
    ],
)  # fmt: skip
def test_role_of(path: str, role: str) -> None:
    """Directories and naming habits tell tests, documents, examples, generated and foreign code apart."""
    assert role_of(path) == role
