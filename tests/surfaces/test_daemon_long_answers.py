"""What a daemon is asked for is never too long to be sent: it comes in pages, and a surface that wants all has all."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from everdex import limits
from support.daemons import Daemon
from support.trees import tree

CALLS = 10_000


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    base = tmp_path_factory.mktemp("long")
    calls = "\tstep()\n" * CALLS
    files = {"go.mod": "module m\n", "a.go": f"package m\nfunc step() {{}}\nfunc run() {{\n{calls}}}\n"}
    with Daemon(tree(base / "project", files), base / "home") as running:
        yield running


@pytest.mark.parametrize(("method", "symbol"), [("callers", "step"), ("callees", "run")])
def test_ten_thousand_calls_in_one_caller_are_answered(daemon: Daemon, method: str, symbol: str) -> None:
    """Each place once, none of them twice, over as many pages as that takes."""
    lines: list[int] = []
    arguments: list[str] = []
    while True:
        done = daemon.run(method, symbol, "--json", *arguments)
        assert done.code == 0
        assert len(done.out) < limits.MAX_RESPONSE_BYTES
        (edge,) = done.json[method]
        lines += [site["line"] for site in edge["sites"]]
        assert edge["sites_omitted"] == CALLS - len(lines)
        cursor = done.json["cursor"]
        if cursor is None:
            break
        arguments = ["--offset", str(cursor["offset"]), "--site-offset", str(cursor["site_offset"])]
    assert lines == [*range(4, CALLS + 4)]


def test_the_text_says_where_the_next_page_begins(daemon: Daemon) -> None:
    """One who reads lines is told how many are missing and how to go on."""
    done = daemon.run("callers", "step")
    listed = len(done.out.splitlines())
    assert 0 < listed < CALLS
    assert f"{CALLS - listed:,} more places of the last one not shown" in done.err
    assert f"--offset 0 --site-offset {listed}" in done.err
