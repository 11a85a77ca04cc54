"""Packages as they come from a registry: which one an archive is, and its files, without running any of it.

Wheels, npm tarballs, Debian binary and Debian source packages, and of such a source only what its authors wrote.
Members are read into memory one at a time and never written, so a hostile path in an archive leads nowhere.
"""

from __future__ import annotations

import re
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

MAX_MEMBER_BYTES: Final = 400_000

Wanted = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Archive:
    """A package on disk; `files` holds its parts (a Debian source package has several), the naming one first."""

    registry: str  # pypi, npm, deb, src, tar
    name: str
    version: str
    files: tuple[Path, ...]


def members(archive: Archive, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    """(path, content) of every wanted regular file of moderate size."""
    for file in archive.files:
        if file.suffix == ".whl":
            yield from _zip_members(file, wanted)
        elif file.suffix == ".deb":
            yield from _deb_members(file, wanted)
        elif file.suffix != ".dsc":
            with tarfile.open(file) as tar:
                yield from _tar_members(tar, wanted)


def _zip_members(file: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(file) as wheel:
        for entry in wheel.infolist():
            if entry.file_size <= MAX_MEMBER_BYTES and not entry.is_dir() and wanted(entry.filename):
                yield entry.filename, wheel.read(entry)


def _deb_members(file: Path, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    with subprocess.Popen(
        ["dpkg-deb", "--fsys-tarfile", str(file)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        stream: IO[bytes] | None = process.stdout
        with tarfile.open(fileobj=stream, mode="r|") as tar:
            yield from _tar_members(tar, wanted)


def _tar_members(tar: tarfile.TarFile, wanted: Wanted) -> Iterator[tuple[str, bytes]]:
    for entry in tar:
        if entry.isreg() and entry.size <= MAX_MEMBER_BYTES and wanted(entry.name):
            content = tar.extractfile(entry)
            if content is not None:
                yield entry.name, content.read()


def archives_in(directory: Path) -> list[Archive]:
    """Every package in a download directory (`pypi`, `npm`, `deb`, `src`, `tar` below it), sorted."""
    found = [_wheel(file) for file in directory.glob("pypi/*.whl")]
    found += [_npm(file) for file in directory.glob("npm/*.tgz")]
    found += [_deb(file) for file in directory.glob("deb/*.deb")]
    found += [made for file in directory.glob("src/*.dsc") if (made := _source(file)) is not None]
    found += _upstream(directory / "tar")
    return sorted(found, key=lambda archive: (archive.registry, archive.name, archive.version))


def _wheel(file: Path) -> Archive:
    name, version = file.name.split("-")[:2]
    return Archive("pypi", re.sub(r"[-_.]+", "-", name).lower(), version, (file,))


def _npm(file: Path) -> Archive:
    # The file's name cannot tell a scope from a word; package.json, the first wanted member, can.
    import json

    with tarfile.open(file) as tar:
        for _, content in _tar_members(tar, lambda path: path.count("/") == 1 and path.endswith("/package.json")):
            document = json.loads(content)
            return Archive("npm", document["name"], document["version"], (file,))
    name, _, version = file.stem.rpartition("-")
    return Archive("npm", name, version, (file,))


def _deb(file: Path) -> Archive:
    name, version, _ = file.stem.split("_")
    return Archive("deb", name, version.replace("%3a", ":"), (file,))


def _source(file: Path) -> Archive | None:
    """None while a part is missing: its download was interrupted."""
    text = file.read_text(encoding="utf-8", errors="replace")
    name = re.search(r"^Source: (\S+)$", text, re.MULTILINE)
    version = re.search(r"^Version: (\S+)$", text, re.MULTILINE)
    listed = re.search(r"^Files:\s*\n((?: .*\n)+)", text, re.MULTILINE)
    if name is None or version is None or listed is None:
        return None
    parts = [file.parent / line.split()[2] for line in listed[1].splitlines()]
    tars = [part for part in parts if ".tar." in part.name and part.suffix != ".asc"]
    if not all(part.exists() for part in tars):
        return None
    return Archive("src", name[1], version[1], (file, *tars))


def _upstream(directory: Path) -> list[Archive]:
    """Sources without their packaging: `name_version.orig.tar.*`, some in several parts."""
    parts: dict[tuple[str, str], list[Path]] = {}
    for file in sorted(directory.glob("*.orig*.tar.*")):
        name, _, rest = file.name.partition("_")
        parts.setdefault((name, rest.partition(".orig")[0]), []).append(file)
    return [Archive("tar", name, version, tuple(files)) for (name, version), files in parts.items()]
