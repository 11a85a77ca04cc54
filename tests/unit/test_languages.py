"""Languages, grammar pins and roles: decided from the path, and from the first line where a name does not say it."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest

from everdex.interpreters import _BY_PROGRAM
from everdex.languages import (
    GRAMMAR_VERSIONS,
    GRAMMARS,
    KNOWN,
    language_in,
    language_of,
    may_be_script,
    parsed_language,
    role_of,
)

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
    ("path", "first", "language"),
    [
        ("bin/tool", b"#!/usr/bin/env python3\n", "python"), ("bin/tool", b"", None), ("a.cgi", b"#!/bin/sh\n", "bash"),
        ("a.py", b"#!/bin/sh\n", "python"), ("CMakeLists.txt", b"#!/bin/sh\n", "cmake"), (".bashrc", b"", "bash"),
        # Such names are given to scripts as well.
        ("build", b"#!/bin/sh\n", "bash"), ("BUILD", b"cc_library()\n", "bazel"), ("install", b"#!/bin/sh\n", "bash"),
        ("Rakefile", b"#!/usr/bin/env rake\n", "ruby"), ("Makefile", b"#!/usr/bin/make -f\n", "make"),
    ],
)  # fmt: skip
def test_language_in(path: str, first: bytes, language: str | None) -> None:
    """An extension says it; of a name without one the first line, and only then the name."""
    assert language_in(path, first) == language


def test_every_interpreter_runs_a_known_language() -> None:
    """What a first line says can be asked for with `lang:`."""
    assert set(_BY_PROGRAM.values()) <= KNOWN


@pytest.mark.parametrize(
    ("path", "unsure"),
    [
        ("bin/tool", True), ("tool.cgi", True), ("tool-1.2", True), (".hook", True), ("x/png", True),
        ("a.py", False), ("Makefile", False), ("a.png", False), ("a.tar.gz", False), ("yarn.lock", False),
        ("a.min.js", False), ("tool~", False), ("tool.orig", False), ("A.PNG", False),
    ],
)  # fmt: skip
def test_may_be_script(path: str, unsure: bool) -> None:
    """Only files of which the name says nothing are worth a look at their first line."""
    assert may_be_script(path) is unsure


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
        ("a.spec.ts", "test"), ("regress/a.sh", "test"), ("src/regress.c", "source"),
        ("docs/a.py", "doc"), ("README.md", "doc"), ("LICENSE", "doc"), ("examples/a.py", "example"),
        ("vendor/x/a.go", "vendored"), ("third_party/a.c", "vendored"), ("a_pb2.py", "generated"),
        ("pyproject.toml", "config"), ("Dockerfile", "config"), (".yarn/releases/yarn-4.0.0.cjs", "vendored"),
        ("playground/css/main.ts", "example"),
        ("public/plugins/pdfjs-5.2.133/build/pdf.mjs", "vendored"), ("static/jquery-3.6.0.js", "vendored"),
        ("js/kit-5.17.0/mode/index.html", "vendored"),
        ("connectors/hive-3.1.3/src/Hive.java", "source"), ("site/v1.2/main.js", "source"),
        ("release-1.2/main.js", "source"), ("deps/lua/lapi.c", "vendored"), ("app/deps/session.py", "source"),
        ("src/yarn/a.ts", "source"),
        ("runtime-tests/node/index.ts", "test"), ("Store.UnitTests/Setup.cs", "test"), ("Store.Tests/Setup.cs", "test"),
        ("app/src/androidTest/Setup.kt", "test"), ("t/unit/setup.py", "test"), ("lib/t/setup.py", "source"),
        ("src/test-utils/act.js", "source"), ("src/contest/rules.py", "source"), ("pkg/latests/a.go", "source"),
        ("api/src/main/java/app/index/IndexSpec.java", "source"), ("kit/src/main/java/org/test/Mock.java", "source"),
        ("tests/kit/src/main/java/Mock.java", "test"), ("src/test/java/IndexSpec.java", "test"),
        ("src/main/java/com/example/demo/DemoApplication.java", "source"),
        ("src/main/java/org/samples/docs/Page.java", "source"), ("samples/shop/src/main/java/Shop.java", "example"),
        ("src/main/resources/notes.md", "doc"), ("src/main/resources/application.yml", "config"),
        ("cypress/login.cy.ts", "test"), ("locales/simple_form.cy.yml", "config"),
    ],
)  # fmt: skip
def test_role_of(path: str, role: str) -> None:
    """Directories and naming habits tell tests, documents, examples, generated and foreign code apart."""
    assert role_of(path) == role
