"""Semantic contexts are found by what a repository's build files say, each with the files that only it owns."""

from __future__ import annotations

import hashlib

import pytest

from everdex import languages, limits
from everdex.semantic.discovery import Member, Project, Projects, context_id, discover
from everdex.semantic.families import FAMILIES
from everdex.semantic.tools import TOOLS


def _found(tree: dict[str, str]) -> Projects:
    members = [
        Member(path, languages.language_of(path) or "", hashlib.sha256(text.encode()).hexdigest())
        for path, text in tree.items()
    ]
    return discover(members, lambda path: tree[path].encode())


def _owned(tree: dict[str, str]) -> dict[str, list[str]]:
    return {project.name: [member.path for member in project.files] for project in _found(tree).found}


def _only(tree: dict[str, str]) -> Project:
    (project,) = _found(tree).found
    return project


@pytest.mark.parametrize(
    ("marker", "file", "name"),
    [
        ("pyproject.toml", "a.py", "python:."),
        ("setup.cfg", "a.py", "python:."),
        ("setup.py", "setup.py", "python:."),
        ("tsconfig.json", "a.ts", "typescript:."),
        ("jsconfig.json", "a.jsx", "typescript:."),
        ("package.json", "a.js", "typescript:."),
        ("go.mod", "a.go", "go:."),
        ("Cargo.toml", "src/lib.rs", "rust:."),
        ("pom.xml", "A.java", "java:."),
        ("build.gradle", "A.kt", "java:."),
        ("build.gradle.kts", "A.java", "java:."),
        ("app.sln", "A.cs", "dotnet:."),
        ("app.slnx", "A.cs", "dotnet:."),
        ("app.csproj", "A.cs", "dotnet:."),
        ("compile_commands.json", "a.cpp", "clang:."),
    ],
)
def test_a_build_file_makes_a_context(marker: str, file: str, name: str) -> None:
    """Its directory is the root, and the files of its languages below are its own."""
    project = _only({marker: "", file: ""})
    assert (project.name, project.root, project.config_path) == (name, "", marker)
    assert file in [member.path for member in project.files]


def test_every_build_file_is_indexed() -> None:
    """What makes or decides a context is known to the index: contexts are a function of a snapshot's files."""
    for family in FAMILIES:
        for pattern in (*family.markers, *family.weak, *family.decides):
            assert languages.language_of(pattern.replace("*", "x")) is not None, pattern


def test_a_file_belongs_to_the_nearest_root_of_its_language_and_to_no_other() -> None:
    """Of nested roots the inner one has it; files above every root, and languages without a family, have none."""
    assert _owned(
        {
            "svc/pyproject.toml": "", "svc/a.py": "", "svc/inner/setup.py": "", "svc/inner/b.py": "",
            "svc/web/tsconfig.json": "", "svc/web/c.ts": "", "svc/web/tool.py": "", "loose.py": "", "svc/d.rb": "",
        }
    ) == {
        "python:svc": ["svc/a.py", "svc/web/tool.py"],
        "python:svc/inner": ["svc/inner/b.py", "svc/inner/setup.py"],
        "typescript:svc/web": ["svc/web/c.ts"],
    }  # fmt: skip


def test_every_language_has_one_family_and_every_family_a_tool() -> None:
    """So that ownership is unique, and each context can be indexed."""
    listed = [language for family in FAMILIES for language in family.languages]
    assert len(listed) == len(set(listed))
    assert {family.tool for family in FAMILIES} == set(TOOLS)


def test_packages_without_a_configuration_belong_to_the_one_above() -> None:
    """A package.json makes a context only where nothing above does."""
    tree = {
        "tsconfig.json": "", "packages/a/package.json": "", "packages/a/x.ts": "", "packages/b/tsconfig.json": "",
        "packages/b/y.ts": "",
    }  # fmt: skip
    assert _owned(tree) == {"typescript:.": ["packages/a/x.ts"], "typescript:packages/b": ["packages/b/y.ts"]}
    assert _owned({"package.json": "", "x.js": "", "sub/package.json": "", "sub/y.js": ""}) == {
        "typescript:.": ["sub/y.js", "x.js"]
    }


def test_crates_belong_to_their_workspace_unless_it_excludes_them() -> None:
    """Cargo's own rule; a workspace inside another is one of its own."""
    tree = {
        "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["fuzz"]\n', "crates/a/Cargo.toml": "[package]",
        "crates/a/src/lib.rs": "", "fuzz/Cargo.toml": "[package]", "fuzz/f.rs": "",
        "other/Cargo.toml": "[workspace]\n", "other/o.rs": "", "fuzzier/Cargo.toml": "[package]", "fuzzier/g.rs": "",
    }  # fmt: skip
    assert _owned(tree) == {
        "rust:.": ["crates/a/src/lib.rs", "fuzzier/g.rs"], "rust:fuzz": ["fuzz/f.rs"], "rust:other": ["other/o.rs"],
    }  # fmt: skip


def test_modules_of_java_builds_belong_to_the_build() -> None:
    """Maven's are listed by their parent; everything below Gradle's settings is one build."""
    tree = {
        "pom.xml": "<modules>\n<module> core </module><module>web</module></modules>", "core/pom.xml": "",
        "core/A.java": "", "web/pom.xml": "", "web/B.java": "", "sample/pom.xml": "", "sample/C.java": "",
        "g/settings.gradle": "", "g/build.gradle": "", "g/lib/build.gradle": "", "g/lib/D.kt": "",
    }  # fmt: skip
    assert _owned(tree) == {
        "java:.": ["core/A.java", "web/B.java"], "java:g": ["g/lib/D.kt"], "java:sample": ["sample/C.java"],
    }  # fmt: skip


def test_projects_below_a_solution_are_the_solutions() -> None:
    """One run of the indexer reads them all."""
    tree = {"a.sln": "", "src/x/x.csproj": "", "src/x/X.cs": "", "src/y/y.csproj": "", "src/y/Y.cs": ""}
    assert _owned(tree) == {"dotnet:.": ["src/x/X.cs", "src/y/Y.cs"]}


def test_an_id_is_of_language_and_directory_alone() -> None:
    """Whatever else changes, a context keeps its id; other languages and directories have others."""
    small = _only({"svc/pyproject.toml": "", "svc/a.py": ""})
    other = {"svc/pyproject.toml": "x", "svc/a.py": "y", "svc/b.py": "", "web/tsconfig.json": "", "web/c.ts": ""}
    large = _found(other)
    assert small.id == large.found[0].id == context_id("python", "svc")
    assert len({project.id for project in large.found} | {context_id("python", "")}) == 3


def test_the_configuration_is_what_decides() -> None:
    """Bytes of build files at the root or above change its hash; sources, and build files elsewhere, do not."""
    tree = {"tsconfig.base.json": "1", "a/tsconfig.json": "2", "a/x.ts": "3", "a/b/tsconfig.json": "4"}
    before = _found(tree).found[0].config_hash
    hashes = [_found({**tree, path: "other"}).found[0].config_hash for path in tree]
    assert [found == before for found in hashes] == [False, False, True, True]


@pytest.mark.parametrize("text", ["[workspace", "workspace = 1", "\x00", "[workspace]\nexclude = 7\n", "[[" * 60_000])
def test_a_build_file_that_cannot_be_read_says_nothing(text: str) -> None:
    """It is a stranger's: damaged, of another shape or nested without end."""
    assert _owned({"Cargo.toml": text, "a.rs": ""}) == {"rust:.": ["a.rs"]}


def test_contexts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those beyond the limit are counted, and their files go to no other."""
    monkeypatch.setattr(limits, "MAX_CONTEXTS", 2)
    tree = {f"m{n}/go.mod": "" for n in range(5)} | {f"m{n}/a.go": "" for n in range(5)}
    found = _found(tree)
    assert ([project.name for project in found.found], found.omitted) == (["go:m0", "go:m1"], 3)
