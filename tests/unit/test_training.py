"""The training pipeline, end to end on packages made here: it must not rot, and it must not learn what it may not."""

from __future__ import annotations

import hashlib
import io
import subprocess
import sys
import tarfile
import zipfile
from collections import Counter
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy import sparse
from training import fetch, hygiene, mine, modules, prepare, readmes, vocabulary
from training.archives import Archive, archives_in
from training.licences import is_permissive, licence_of
from training.model import Bag, Batch, gradients, start
from training.neighbours import Neighbours
from training.pairs import Pair

from everdex.embed.pieces import WordPieces
from everdex.embed.tables import map_file, read_tensors

ROOT = Path(__file__).resolve().parents[2]
MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software"
GPL = "GNU GENERAL PUBLIC LICENSE Version 3, 29 June 2007"
VERBS = ("read", "write", "parse", "merge", "close", "rename", "verify", "sort")
NOUNS = ("snapshot", "manifest", "token", "socket", "archive", "schema", "cursor", "matrix")


def module(verbs: tuple[str, ...], noun: str) -> str:
    """Functions whose bodies share words with their docstrings, as real ones do."""
    return "\n\n".join(
        f"def {verb}_{noun}(handle, options):\n"
        f'    """{verb.capitalize()} the {noun} that the given handle points at."""\n'
        f"    {noun}_buffer = handle.open_{noun}(options)\n"
        f"    for part in {noun}_buffer.{verb}_parts():\n"
        f"        options.on_{verb}(part, {noun}_buffer.position)\n"
        f"    return {noun}_buffer.finish_{verb}()\n"
        for verb in verbs
    )


def wheel(
    directory: Path,
    name: str,
    nouns: tuple[str, ...],
    licence: str = "MIT",
    text: str = MIT,
    description: str = "text",
) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(directory / f"{name}-1.0-py3-none-any.whl", "w") as archive:
        # A fixed date: the pinned hash is of the file.
        def add(path: str, content: str) -> None:
            archive.writestr(zipfile.ZipInfo(path, (2020, 1, 1, 0, 0, 0)), content)

        for noun in nouns:
            add(f"{name}/{noun}.py", module(VERBS, noun))
        fields = f"Name: {name}\nVersion: 1.0\nLicense-Expression: {licence}"
        add(f"{name}-1.0.dist-info/METADATA", f"{fields}\n\n{description}")
        add(f"{name}-1.0.dist-info/licenses/LICENSE", text)


@pytest.fixture
def downloads(tmp_path: Path) -> Path:
    directory = tmp_path / "work" / "downloads"
    for number in range(4):
        wheel(directory / "pypi", f"sample{number}", NOUNS[2 * number : 2 * number + 2])
    return directory


def make(work: Path, packages: Path, *extra: str) -> str:
    """Run the whole pipeline with a tiny model; the packed file's hash."""
    command = [sys.executable, "-m", "training.run", "--work", str(work), "--packages", str(packages), "--offline"]
    command += ["--runs", "2", "--epochs", "3", "--batch", "32", "--vocabulary", "300", "--pieces", "120"]
    done = subprocess.run([*command, "--workers", "1", *extra], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return hashlib.sha256((work / "everdex-code-4.safetensors").read_bytes()).hexdigest()


def test_the_pipeline_goes_from_packages_to_a_packed_model(downloads: Path, tmp_path: Path) -> None:
    """Pinned downloads become a readable model, the same bytes each time, and a second call repeats no step."""
    packages = tmp_path / "packages.tsv"
    fetch.write_pins(fetch.pin(downloads), packages)
    first = make(downloads.parent, packages)
    path = downloads.parent / "everdex-code-4.safetensors"
    tensors = read_tensors(path, map_file(path))
    pieces = tensors["vocabulary"].tobytes().decode().split("\n")
    assert tensors["table"].shape == (len(pieces), 288)
    assert len(tensors["scales"]) == len(tensors["asking"]) == len(pieces)
    assert "snapshot" in pieces
    stamps = {file: file.stat().st_mtime_ns for file in downloads.parent.glob("run-*.npz")}
    assert make(downloads.parent, packages) == first
    assert {file: file.stat().st_mtime_ns for file in stamps} == stamps
    again = tmp_path / "again"
    again.mkdir()
    (again / "downloads").symlink_to(downloads)
    assert make(again, packages) == first


def test_a_file_that_is_not_the_pinned_one_is_left_out(downloads: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A package whose bytes changed since it was pinned is named and not read."""
    pins = fetch.pin(downloads)
    wheel(downloads / "pypi", "sample1", NOUNS)
    found = fetch.pinned_archives(downloads, pins)
    assert [archive.name for archive in found] == ["sample0", "sample2", "sample3"]
    assert "sample1" in capsys.readouterr().err


def test_only_permissive_packages_are_pinned(tmp_path: Path) -> None:
    """Copyleft by metadata or by licence file, and no licence at all, are refused; a choice is taken."""
    wheel(tmp_path / "pypi", "free", ("token",))
    wheel(tmp_path / "pypi", "choice", ("token",), "MIT OR GPL-2.0-only", MIT + GPL)
    wheel(tmp_path / "pypi", "copyleft", ("token",), "GPL-3.0-or-later", GPL)
    wheel(tmp_path / "pypi", "liar", ("token",), "MIT", GPL)
    wheel(tmp_path / "pypi", "silent", ("token",), "", "all mine")
    assert {one.name for one in fetch.pin(tmp_path)} == {"free", "choice"}


def tarball(file: Path, contents: dict[str, str]) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(file, "w:gz") as archive:
        for path, text in contents.items():
            entry = tarfile.TarInfo(path)
            entry.size = len(text.encode())
            archive.addfile(entry, io.BytesIO(text.encode()))


def test_an_authors_source_is_pinned_by_its_licence_file(tmp_path: Path) -> None:
    """Sources without packaging: one archive a package whatever its parts, refused when a licence file is copyleft."""
    free = {"json-6.0/LICENSE.md": MIT, "json-6.0/Src/Json.cs": "class Json {}"}
    tarball(tmp_path / "tar" / "json_6.0+dfsg.orig.tar.gz", free)
    tarball(tmp_path / "tar" / "json_6.0+dfsg.orig-tests.tar.gz", {"tests/Json.cs": "class Tests {}"})
    tarball(tmp_path / "tar" / "lock_1.orig.tar.gz", {"lock-1/COPYING": GPL, "lock-1/a.lua": "return 1"})
    tarball(tmp_path / "tar" / "mute_1.orig.tar.gz", {"mute-1/a.lua": "return 1"})
    pins = fetch.pin(tmp_path)
    assert [(one.registry, one.name, one.version) for one in pins] == [("tar", "json", "6.0+dfsg")]
    (archive,) = fetch.pinned_archives(tmp_path, pins)
    assert [file.name for file in archive.files] == ["json_6.0+dfsg.orig-tests.tar.gz", "json_6.0+dfsg.orig.tar.gz"]


def test_a_file_under_another_licence_than_its_package_is_not_mined(downloads: Path) -> None:
    """A head that names a copyleft licence takes the file out, however the comment is broken into lines."""
    free, bound = module(VERBS, "token"), module(VERBS, "socket")
    head = "# under the terms of the GNU General\n# Public License as published\n"
    path = downloads / "npm" / "mixed-1.0.tgz"
    tarball(path, {"package/a.py": free, "package/b.py": head + bound})
    pairs = mine.mine_package(Archive("npm", "mixed", "1.0", (path,)), hygiene.read_benchmarks([]))
    assert {"token" in pair.query for pair in pairs} == {True}


def test_languages_that_few_packages_have_are_held_out_more_often() -> None:
    """By name alone a package is held out; in a thin language one of seven is, elsewhere one of fifty."""
    lua = [Pair("lua", "function", "one two three", "", "", "a b c d e f")]
    go = [Pair("go", "function", "one two three", "", "", "a b c d e f")]
    names = [f"npm~package{number}~1.0" for number in range(2_000)]
    thin = {name for name in names if prepare.is_held_out(name, lua)}
    plain = {name for name in names if prepare.is_held_out(name, go)}
    assert plain < thin
    assert 20 <= len(plain) <= 60
    assert 250 <= len(thin) <= 380


def test_languages_that_few_packages_have_get_more_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package's limit is three times as wide for them, and its other files do not take from it."""
    monkeypatch.setattr(mine, "MAX_PAIRS", 4)
    body = "  local handle = open(name)\n  handle:write(text, position)\n  return handle:close(flags)\nend\n"
    lua = "".join(f"-- Write the {verb} of a page.\nfunction {verb}(name)\n{body}\n" for verb in VERBS)
    files = {f"package/{number}.lua": lua.replace("page", f"page {noun}") for number, noun in enumerate(NOUNS)}
    files |= {f"package/{noun}.py": module(VERBS, noun) for noun in NOUNS}
    tarball(tmp_path / "both-1.0.tgz", files)
    archive = Archive("npm", "both", "1.0", (tmp_path / "both-1.0.tgz",))
    counts = Counter(pair.language for pair in mine.mine_package(archive, hygiene.read_benchmarks([])))
    assert counts["python"] == len(VERBS)  # one file is over the limit, and none is cut
    assert counts["lua"] == 2 * len(VERBS)


@pytest.mark.parametrize(
    ("expression", "permissive"),
    [
        ("MIT", True), ("BSD-3-Clause AND Apache-2.0", True), ("Expat or GPL-2", True), ("Apache License 2.0", True),
        ("GPL-2.0-or-later", False), ("MIT AND LGPL-3.0-only", False), ("MPL-2.0", False), ("", False),
        ("UNKNOWN", False),
    ],
)  # fmt: skip
def test_licence_expressions_are_understood(expression: str, permissive: bool) -> None:
    """AND needs every part, OR needs one, and what is not known is not allowed."""
    assert is_permissive(expression) is permissive


def test_a_benchmark_is_excluded_by_name_and_by_its_code(downloads: Path, tmp_path: Path) -> None:
    """Packages named like a benchmark are not pinned, and pairs that share twelve words with its code are dropped."""
    for name in ("flask", "serde", "networkx", "dask_expr"):
        wheel(downloads / "pypi", name, ("token",))
    assert {one.name for one in fetch.pin(downloads)} == {f"sample{number}" for number in range(4)}
    benchmark = tmp_path / "benchmark"
    benchmark.mkdir()
    (benchmark / "copied.py").write_text(module(("read",), "snapshot"))
    archive = archives_in(downloads)[[one.name for one in archives_in(downloads)].index("sample0")]
    everything = mine.mine_package(archive, hygiene.read_benchmarks([]))
    kept = mine.mine_package(archive, hygiene.read_benchmarks([benchmark]))
    # The sample's functions on one noun share their sentence: all of them go, and none on the other noun.
    assert {pair.name.split()[1] for pair in everything} == {"snapshot", "manifest"}
    assert {pair.name.split()[1] for pair in kept} == {"manifest"}


def test_mined_code_has_lost_its_documentation(downloads: Path) -> None:
    """A pair's code never holds the sentence that asks for it."""
    pairs = mine.mine_package(archives_in(downloads)[0], hygiene.read_benchmarks([]))
    assert len(pairs) == 2 * len(VERBS)
    for pair in pairs:
        assert "points" in pair.query.split()
        assert "points" not in pair.body.split()


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", '#!/usr/bin/env python\n"""Rotates log files by size.\n\nMore."""\nimport os\n'),
        ("go", "// Copyright 2020 someone.\n\n// Package rotate rotates log files by size.\npackage rotate\n"),
        ("javascript", "'use strict';\n/*!\n * MIT License\n */\n/**\n * Rotates log files by size.\n */\n\nx = 1;\n"),
        ("rust", "//! Rotates log files by size.\n\nuse std::fs;\n"),
        ("haskell", "{-# LANGUAGE LambdaCase #-}\n-- | Rotates log files by size.\nmodule Rotate where\n"),
        ("lua", "--[[ Rotates log files by size. ]]\nlocal os = require 'os'\n"),
    ],
)
def test_a_files_head_asks_for_the_file(language: str, text: str) -> None:
    """Past licences and pragmas, the first sentence at the top of a file is a question; its code is the answer."""
    code = " ".join(f"rotate_{noun}(size)" for noun in NOUNS)
    (pair,) = modules.mine_module(language, "log rotate", text + code + "\n")
    assert {"log", "files", "size"} <= set(pair.query.split())
    assert not {"more", "copyright", "mit", "language"} & set(pair.query.split())
    assert {"rotate", "snapshot"} <= set(pair.body.split())
    assert pair.kind == "file"


def test_a_first_functions_comment_is_not_taken_for_the_files_head() -> None:
    """A comment with a definition right below it belongs to the definition; a long file gives several stretches."""
    of_function = "/* Rotates the log files. */\nint rotate(int size) { return 1; }\n" * 9
    assert not list(modules.mine_module("c", "", of_function))
    long = "/* Rotates the log files. */\n\n" + "".join(f"int rotate_{'x' * n}(int log);\n" for n in range(400))
    assert len(list(modules.mine_module("c", "", long))) == 3


def test_a_head_is_looked_for_in_bounded_steps() -> None:
    """A long run of pragmas without a head once took more steps than there is time; it has no question."""
    assert not list(modules.mine_module("haskell", "", "{-# LANGUAGE CPP #-}\n" * 300 + "module Rotate where\n"))


def test_further_sentences_ask_for_the_same_code(tmp_path: Path) -> None:
    """The second and third sentence of a docstring or comment are questions too; parameters and examples are not."""
    body = "    for part in handle.parts(options):\n        buffer.append(part.decode(options.charset))\n"
    python = (
        'def load(handle, options):\n    """Read the snapshot that the handle points at.\n\n'
        "    Broken chunks are skipped without a warning. Two readers never share a buffer.\n"
        "    Nobody asks about this fourth sentence.\n\n"
        '    Parameters\n    ----------\n    handle: where the bytes come from\n    """\n' + body
    )
    go = (
        "package load\n\n// Load reads the snapshot that the handle points at.\n"
        "// Broken chunks are skipped without a warning.\n"
        "func Load(handle Handle, options Options) {\n\tbuffer.Append(handle.Parts(options), options.Charset)\n}\n"
    )
    listed = (
        'def load(handle, options):\n    """Read the snapshot that the handle points at.\n\n'
        '    Args:\n        handle: where all of the bytes come from.\n    """\n' + body
    )
    nothing = hygiene.read_benchmarks([])
    for path, text, wanted in (("load.py", python, 2), ("load.go", go, 1), ("load.py", listed, 0)):
        pairs = list(mine.mine_file(path, text.encode(), nothing))
        further = [pair for pair in pairs if pair.kind == "further"]
        assert [{"broken", "chunks", "warning"}, {"readers", "share", "buffer"}][:wanted] == [
            set(pair.query.split()) & {"broken", "chunks", "warning", "readers", "share", "buffer", "fourth", "bytes"}
            for pair in further
        ]
        (first,) = [pair for pair in pairs if pair.kind == "function"]
        assert {pair.body for pair in further} <= {first.body}


def test_groups_are_of_pairs_that_share_rare_words(tmp_path: Path) -> None:
    """Every pair is in one group, of its own package when so asked, and those about one thing come together."""
    (tmp_path / "pairs").mkdir()
    for package in range(3):
        pairs = [
            Pair("python", "function", f"{verb} {noun} p{package}", noun, "", f"{noun} " * 9 + verb)
            for noun in NOUNS[:4]
            for verb in VERBS
        ]
        (tmp_path / "pairs" / f"pypi~sample{package}~1.0.pairs").write_bytes(msgspec.msgpack.encode(pairs))
    prepare.prepare(tmp_path / "pairs", tmp_path / "prepared", 300, 120)
    prepared = prepare.load(tmp_path / "prepared")
    everything = np.arange(3 * 4 * len(VERBS))
    near = Neighbours(prepared, np.random.default_rng(1))
    noun = np.asarray(prepared.counts["body"].argmax(axis=1)).ravel()
    for found in (near.of_package(everything, 8), near.of_all(everything, 24)):
        assert sorted(np.concatenate(found).tolist()) == everything.tolist()
        assert all(len(group) <= len(everything) / 4 for group in found)
        alike = np.mean([np.bincount(noun[group]).max() / len(group) for group in found])
        assert alike > 0.8  # less than 0.5 by chance
    assert all(len(set(prepared.packages[group].tolist())) == 1 for group in near.of_package(everything, 8))
    assert any(len(set(prepared.packages[group].tolist())) == 3 for group in near.of_all(everything, 24))


README = """# Sample

## Reading a snapshot line by line

Open the [snapshot](docs/open.md) first and ask it for its lines:

```python
# never part of the code: reading slowly
handle = open_snapshot("today.snap")
for line in handle.lines():
    consume(line)
```

```console
pip install sample and many other words that are no code
```
"""


def test_a_readme_asks_by_the_heading_and_the_sentence_above_its_code() -> None:
    """A fenced block of a known language is found by what stands over it, links and comments taken out."""
    (pair,) = readmes.mine_readme(README.encode(), hygiene.read_benchmarks([]))
    assert pair.language == "python"
    assert {"reading", "line", "open", "lines"} <= set(pair.query.split())
    assert "md" not in pair.query.split()
    assert {"handle", "consume", "today"} <= set(pair.body.split())
    assert not {"slowly", "pip"} & set(pair.body.split())


def test_readme_examples_are_never_trained_on(tmp_path: Path) -> None:
    """They are mined with the package and kept for the figures alone."""
    wheel(tmp_path / "pypi", "sample9", ("token",), text=MIT, description=README)
    pairs = mine.mine_package(archives_in(tmp_path)[0], hygiene.read_benchmarks([]))
    (tmp_path / "pairs").mkdir()
    (tmp_path / "pairs" / "pypi~sample9~1.0.pairs").write_bytes(msgspec.msgpack.encode(pairs))
    prepare.prepare(tmp_path / "pairs", tmp_path / "prepared", 300, 120)
    prepared = prepare.load(tmp_path / "prepared")
    assert prepared.examples.sum() == 1
    assert prepared.held_out[prepared.examples].all()


def test_gradients_are_those_of_the_loss() -> None:
    """Every written-out derivative agrees with a difference quotient."""
    generator = np.random.default_rng(0)
    parameters = start(30, 6, 1, 0.5)
    parameters.table = parameters.table.astype(np.float64)
    parameters.asking = generator.random(30) + 0.5
    parameters.scale = 1.0
    bags = [Bag.of(sparse.random(10, 30, 0.2, "csr", rng=generator)) for _ in range(3)]
    same = np.eye(10, dtype=np.bool_)
    same[0, 3] = same[3, 0] = True
    batch = Batch(*bags, same)
    found = gradients(parameters, batch)

    def slope(array: np.ndarray, place: tuple[int, ...]) -> float:
        kept, losses = array[place], []
        for change in (1e-5, -1e-5):
            array[place] = kept + change
            losses.append(gradients(parameters, batch).loss)
        array[place] = kept
        return (losses[0] - losses[1]) / 2e-5

    for row, column in list(enumerate(found.columns))[:8]:
        assert found.table[row, 2] == pytest.approx(slope(parameters.table, (int(column), 2)), abs=1e-6)
    for row, column in list(enumerate(found.asking_columns))[:4]:
        assert found.asking[row] == pytest.approx(slope(parameters.asking, (int(column),)), abs=1e-6)


def test_every_word_of_plain_letters_can_be_cut() -> None:
    """Words that the vocabulary lacks are spelled by its pieces, without losing a letter."""
    counts = Counter({"snapshot": 90, "manifest": 50, "snap": 30, "shot": 20, "man": 9, "fest": 9, "zebra": 7})
    pieces = vocabulary.build(counts, size=200, trained=60)
    cutter = WordPieces(pieces)
    for word in ("snapfest", "manshot", "zebrasnap", "snapshot"):
        spelled = "".join(pieces[number].removeprefix("##") for number in cutter.cut([word])[0])
        assert spelled == word


def test_the_licence_of_a_wheel_is_told(downloads: Path) -> None:
    """The pinned list carries what the metadata declares."""
    assert licence_of(archives_in(downloads)[0]) == "MIT"
