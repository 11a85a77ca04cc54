"""`everdex completions`: click's own completion script for a shell, without the ceremony of an environment variable."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from everdex.service.answers import of_no_index
from everdex.surfaces.cli.output import Shown

SHELLS = ("bash", "zsh", "fish")


@click.command("completions", short_help="Print the completion script for a shell.")
@click.argument("shell", type=click.Choice(SHELLS))
@click.option("--json", "as_json", is_flag=True, help="Print the script as one JSON document.")
def completions_command(shell: str, as_json: bool) -> int:
    """Print the script that completes commands, options and their values in SHELL.

    \b
    Examples:
      everdex completions bash > ~/.local/share/bash-completion/completions/everdex
      everdex completions zsh > ~/.zfunc/_everdex
      everdex completions fish > ~/.config/fish/completions/everdex.fish
    """
    from everdex.surfaces.cli.app import COMPLETION, everdex

    kind = get_completion_class(shell)
    assert kind is not None
    completer = kind(everdex, {}, "everdex", COMPLETION)
    # Not source(): for bash that starts bash to ask for its version.
    script = completer.source_template % completer.source_vars()
    return SHOWN.print(of_no_index({"shell": shell, "script": script}), as_json=as_json)


SHOWN = Shown(lambda document: [(True, document["script"].strip("\n"))])
