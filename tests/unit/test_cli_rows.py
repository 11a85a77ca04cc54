"""Rows of a listing on a terminal."""

from __future__ import annotations

import sys

import pytest

from everdex.surfaces.cli import rows
from everdex.surfaces.cli.output import Style

PLAIN = Style(grouped=True, coloured=False)


@pytest.fixture(autouse=True)
def forty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")


@pytest.mark.parametrize(
    ("qualified", "path", "local"),
    [
        ("everdex.service.Index.search", "src/everdex/service.py", "Index.search"),
        ("packages.server.src.ws.handle.<lambda1>", "packages/server/src/ws.ts", "handle.<lambda1>"),
        ("everdex.view.SnapshotView", "src/everdex/view/__init__.py", "SnapshotView"),
        ("axum_core.extract.parts.tests.reads", "axum-core/src/extract/parts.rs", "tests.reads"),
        ("packages.apply-plan.src.index.test.setup", "packages/apply-plan/src/index.test.ts", "setup"),
        ("axum.routing.Router.route", "axum/src/routing/mod.rs", "Router.route"),
        ("a.b", "elsewhere/c.py", "a.b"),
        ("lib.model.folder.scan", "lib/model/folder.go", "folder.scan"),
        ("run.app.Users.find", "api/src/main/java/run/app/Users.java", "Users.find"),
        ("App.Models.Contact.vault", "app/Models/Contact.php", "Contact.vault"),
        ("Symfony.Console.Input.Input.bind", "Input/Input.php", "Symfony.Console.Input.Input.bind"),
        ("service", "src/everdex/service.py", "service"),
    ],
)
def test_a_name_does_not_repeat_its_file(qualified: str, path: str, local: str) -> None:
    """What the heading says is left out of the names under it; a name that the path does not explain stays whole."""
    assert rows.local_name(qualified, path) == local


@pytest.mark.parametrize("text", ["short", "x" * 200, "漢字" * 60, "", "a\tb" * 40])
@pytest.mark.parametrize("note", ["", "ambiguous", "through " + "a.very.long.name" * 9])
def test_no_row_is_wider_than_the_terminal(text: str, note: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """However wide its letters are and however much there is to remark; what is cut says so."""
    rows.heading(text, PLAIN)
    rows.file(text, PLAIN)
    rows.name(text, note, PLAIN)
    rows.numbered(12, text, note, PLAIN)
    sys.stdout.flush()
    lines = capfdbinary.readouterr().out.decode().split("\n")[:-1]
    assert len(lines) == 4
    assert all(len(line) + line.count("漢") + line.count("字") <= 40 for line in lines), lines
    assert all("…" in line for line in lines) == (len(text) > 40)


def test_a_long_remark_gives_way_to_the_source(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """And keeps a third of the room beside a long line."""
    rows.numbered(12, "return load(path)", "through " + "name." * 9, PLAIN)
    rows.numbered(12, "x" * 50, "ambiguous", PLAIN)
    rows.numbered(12, "x" * 50, "through " + "name." * 9, PLAIN)
    rows.name("Store.load", "", PLAIN)
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.decode().splitlines() == [
        "    12  return load(path)  through name…", f"    12  {'x' * 21}…  ambiguo…", f"    12  {'x' * 21}…  through…",
        "  Store.load",
    ]  # fmt: skip


def test_what_matters_whole_is_wrapped(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Broken between words, continued further in."""
    rows.wrapped("  src/app.py:12: def handle(request, response, session)")
    sys.stdout.flush()
    assert capfdbinary.readouterr().out.decode().split("\n")[:-1] == [
        "  src/app.py:12: def handle(request,", "      response, session)"
    ]  # fmt: skip


def test_nothing_in_a_row_drives_the_terminal(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """Control characters of a repository's names go out escaped."""
    rows.name("evil\x1b[31m", "\x07", PLAIN)
    sys.stdout.flush()
    assert capfdbinary.readouterr().out == b"  evil\\x1b[31m  \\x07\n"


def test_of_a_long_path_the_end_is_shown(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    """The name of the file is what it is known by."""
    rows.file("module/src/main/java/org/example/shop/internal/Basket.java", PLAIN)
    rows.file("src/Basket.java", PLAIN)
    sys.stdout.flush()
    long, short = capfdbinary.readouterr().out.decode().splitlines()
    assert (long, short) == ("…a/org/example/shop/internal/Basket.java", "src/Basket.java")
    assert len(long) == 40
