"""Command lines in help texts and documents, and the real parser to try them on."""

from __future__ import annotations

import re
import shlex

import click

from everdex.surfaces.cli import app


def examples_of(text: str) -> list[str]:
    """Every `everdex …` in code font, and every line that is one, up to a pipe, a redirection or a comment."""
    spans = re.findall(r"`(everdex [^`]+)`", text)
    lines = [line.strip().removeprefix("$ ") for line in text.splitlines()]
    found = [line for line in lines if re.match(r"everdex [a-z]", line)]
    return [re.split(r"\s[|>&#]", command)[0] for command in (*spans, *found)]


def parse(command: str) -> None:
    """Have the real parser accept a command line; click's own error says why it does not."""
    arguments = shlex.split(command)[1:]
    found = app.everdex.get_command(click.Context(app.everdex), arguments[0])
    assert found is not None, f"no such command: {command}"
    found.make_context(arguments[0], arguments[1:])
