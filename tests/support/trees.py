"""Building working trees: real files, real git."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_GIT_IDENTITY = ("-c", "user.name=t", "-c", "user.email=t@example.invalid", "-c", "commit.gpgsign=false")


def tree(root: Path, files: Mapping[str, str | bytes], *, git: bool = False) -> Path:
    """Write files below `root` (made if missing); with `git`, make it a repository with one commit."""
    root.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    if git:
        run_git(root, "init", "-q", "-b", "main")
        commit_all(root)
    return root


def commit_all(root: Path, message: str = "snapshot") -> None:
    run_git(root, "add", "-A")
    run_git(root, *_GIT_IDENTITY, "commit", "-q", "--allow-empty", "-m", message)


def run_git(root: Path, *arguments: str) -> str:
    """git with neither the user's nor the system's configuration."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    done = subprocess.run(
        ["git", "-C", os.fspath(root), *arguments], check=True, capture_output=True, text=True, env=environment
    )
    return done.stdout
