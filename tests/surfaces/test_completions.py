"""Completion in real shells: the printed script is loaded and asked, as a person's Tab would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.commands import everdex
from support.processes import PATIENCE_S


@pytest.fixture
def shell_environment(tmp_path: Path) -> dict[str, str]:
    """An environment in which `everdex` is this checkout's."""
    command = tmp_path / "bin" / "everdex"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m everdex "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{command.parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}


def _run(shell: str, script: str, environment: dict[str, str], *options: str) -> list[str]:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    done = subprocess.run(
        [shell, *options, "-c", script], capture_output=True, text=True, check=False, env=environment,
        timeout=PATIENCE_S,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


CASES = [
    (["se"], {"search", "serve"}),
    (["search", "--mo"], {"--mode"}),
    (["search", "--mode", "re"], {"regex"}),
    (["install", "c"], {"claude-code", "codex", "cursor"}),
    (["completions", ""], {"bash", "zsh", "fish"}),
]


@pytest.mark.parametrize(("words", "wanted"), CASES, ids=[" ".join(words) for words, _ in CASES])
def test_bash(words: list[str], wanted: set[str], shell_environment: dict[str, str], tmp_path: Path) -> None:
    """Commands, options and their values."""
    (tmp_path / "script").write_text(everdex("completions", "bash").out)
    quoted = " ".join(f"'{word}'" for word in ("everdex", *words))
    script = (
        f"source {tmp_path / 'script'}\nCOMP_WORDS=({quoted}); COMP_CWORD={len(words)}\n"
        f"_everdex_completion everdex\nprintf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    assert set(_run("bash", script, shell_environment, "--norc")) == wanted


def test_fish(shell_environment: dict[str, str], tmp_path: Path) -> None:
    """The same in fish, which shows the commands' summaries beside them."""
    (tmp_path / "script").write_text(everdex("completions", "fish").out)
    script = f"source {tmp_path / 'script'}; complete -C 'everdex sea'"
    assert _run("fish", script, shell_environment, "--no-config")[:2] == ["search", "Search"]


def test_zsh(shell_environment: dict[str, str], tmp_path: Path) -> None:
    """The script loads and its function asks everdex."""
    (tmp_path / "script").write_text(everdex("completions", "zsh").out)
    script = (
        f"autoload -U compinit; compinit -u -d {tmp_path / 'dump'}\nsource {tmp_path / 'script'}\n"
        "_describe() { print -l -- ${(P)3}; }\ncompadd() { print -l -- ${@[-1]}; }\n"
        "words=(everdex sea); CURRENT=2; _everdex_completion"
    )
    assert any("search" in word for word in _run("zsh", script, shell_environment, "-f"))


def test_as_json() -> None:
    """The script as a document, for whoever installs it with a program."""
    document = everdex("completions", "bash", "--json").json
    assert document["shell"] == "bash"
    assert document["script"].strip("\n") == everdex("completions", "bash").out.strip("\n")
