"""Gets pinned packages from the configured package index with pip, and unpacks them. Knows no host names.

Everything lands below benchmarks/corpora/, which git ignores: other people's code is never committed.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path


def unpack_wheel(requirement: str, target: Path) -> Path:
    """Downloads a pure-Python wheel (nothing is built or run) and unpacks it into `target`."""
    return _obtain(requirement, target, ("--only-binary", ":all:"))


def unpack_sdist(requirement: str, target: Path) -> Path:
    """Downloads a source distribution and unpacks it into `target`. pip runs its build backend for the metadata."""
    return _obtain(requirement, target, ("--no-binary", requirement.partition("==")[0]))


def _obtain(requirement: str, target: Path, options: tuple[str, ...]) -> Path:
    done = target.with_name(target.name + ".done")
    if done.exists():
        return target
    downloads = target.with_name(target.name + ".download")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", *options]
    subprocess.run([*command, "--dest", str(downloads), requirement], check=True)
    (archive,) = downloads.iterdir()
    target.mkdir(parents=True, exist_ok=True)
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(target)
    else:
        with tarfile.open(archive) as sdist:
            sdist.extractall(target, filter="data")
    # Last: an unpacking that was interrupted is done again.
    done.write_text(archive.name + "\n")
    return target
