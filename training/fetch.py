"""Obtains the pinned packages with pip, npm and apt, and holds each to its pinned hash.

`packages.tsv` names registry, package, version, SHA-256 and licence. Nothing that is downloaded is run: wheels only
for Python, tarballs for npm, packed Debian packages (`tar`: of a source package only its authors' files). What cannot
be had any more, or is not the pinned file, is left out and named; the run goes on without it. Licences are checked when
a package is pinned, and the hash holds the file to that check. `python -m training.fetch --pin DOWNLOADS` writes the
list anew from a directory of downloads, after the licence and benchmark checks.
"""

from __future__ import annotations

import argparse
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from training.archives import Archive, archives_in
from training.hygiene import is_excluded
from training.licences import licence_of

PACKAGES: Final = Path(__file__).resolve().parent / "packages.tsv"
_BATCH: Final = 10
_PARALLEL: Final = 4
_WORKERS: Final = 2
_TIMEOUT_S: Final = 600
_HEADER: Final = "registry\tpackage\tversion\tsha256\tlicence"
_RELEASE, _NEXT_RELEASE = "bookworm", "trixie"  # of Debian: the pins are of the first, some sources only in the second
_SOURCES: Final = (Path("/etc/apt/sources.list"), Path("/etc/apt/sources.list.d"))


@dataclass(frozen=True, slots=True)
class Pin:
    registry: str
    name: str
    version: str
    sha256: str
    licence: str

    @property
    def key(self) -> tuple[str, str]:
        return self.registry, self.name


def read_pins(path: Path = PACKAGES) -> list[Pin]:
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    if header != _HEADER:
        raise ValueError(f"{path} does not begin with the column names")
    return [Pin(*line.split("\t")) for line in lines]


def archive_hash(archive: Archive) -> str:
    """Over the hashes of its files but the signed `.dsc`, in their order."""
    digest = hashlib.sha256()
    for file in archive.files:
        if file.suffix != ".dsc":
            with open(file, "rb") as stream:
                digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def pin(downloads: Path) -> list[Pin]:
    """Every package of the downloads that may be learned from; one version of each."""
    pins: dict[tuple[str, str], Pin] = {}
    refused = excluded = 0
    archives = archives_in(downloads)
    with ProcessPoolExecutor(_WORKERS) as pool:
        for archive, licence in zip(archives, pool.map(licence_of, archives, chunksize=20), strict=True):
            if is_excluded(archive):
                excluded += 1
            elif licence is None:
                refused += 1
            else:
                text = " ".join(licence.split())
                found = Pin(archive.registry, archive.name, archive.version, archive_hash(archive), text)
                pins[found.key] = found
    print(f"{len(pins):,} packages pinned, {refused:,} refused for their licence, {excluded:,} belong to a benchmark")
    return sorted(pins.values(), key=lambda one: one.key)


def write_pins(pins: Iterable[Pin], path: Path = PACKAGES) -> None:
    lines = ["\t".join((one.registry, one.name, one.version, one.sha256, one.licence)) for one in pins]
    path.write_text("\n".join([_HEADER, *lines]) + "\n", encoding="utf-8")


def pinned_archives(downloads: Path, pins: Sequence[Pin]) -> list[Archive]:
    """The downloaded packages that are the pinned ones, whose licences were checked; the rest is named on stderr."""
    wanted = {one.key: one for one in pins}
    found = []
    for archive in archives_in(downloads):
        one = wanted.get((archive.registry, archive.name))
        if one is None or archive.version != one.version:
            continue
        if archive_hash(archive) != one.sha256:
            print(f"LEFT OUT {one.registry} {one.name} {one.version}: not the pinned file", file=sys.stderr)
            continue
        del wanted[one.key]
        found.append(archive)
    for one in wanted.values():
        print(f"MISSING {one.registry} {one.name} {one.version}", file=sys.stderr)
    return found


def fetch(pins: Sequence[Pin], downloads: Path) -> None:
    """Download what is not there yet, in batches side by side; a batch that fails is tried one by one."""
    downloads = downloads.resolve()  # the clients run inside its folders
    there = {(archive.registry, archive.name, archive.version) for archive in archives_in(downloads)}
    todo = [one for one in pins if (one.registry, one.name, one.version) not in there]
    if any(one.registry in ("deb", "src", "tar") for one in todo):
        _prepare_apt(downloads)
    batches = []
    for registry in ("pypi", "npm", "deb", "src", "tar"):
        (downloads / registry).mkdir(parents=True, exist_ok=True)
        mine = [one for one in todo if one.registry == registry]
        batches += [mine[start : start + _BATCH] for start in range(0, len(mine), _BATCH)]
    with ThreadPoolExecutor(_PARALLEL) as pool:
        for done, _ in enumerate(pool.map(lambda batch: _download(batch, downloads), batches), 1):
            print(f"fetched {done:,} of {len(batches):,} batches", flush=True)


def _download(batch: Sequence[Pin], downloads: Path) -> None:
    if not _run(batch, downloads):
        for one in batch:
            _run([one], downloads)


def _run(batch: Sequence[Pin], downloads: Path) -> bool:
    registry = batch[0].registry
    directory = downloads / registry
    command: list[str]
    if registry == "pypi":
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", "."]
        command += [f"{one.name}=={one.version}" for one in batch]
    elif registry == "npm":
        command = ["npm", "pack", "--silent", *(f"{one.name}@{one.version}" for one in batch)]
    else:
        verb = {"deb": ["download"], "src": ["source", "--download-only"]}
        command = ["apt-get", "-qq", "-c", str(downloads / "apt" / "apt.conf")]
        command += verb.get(registry, ["source", "--download-only", "--tar-only"])
        # The authors' version is not one that apt can ask for: what comes instead is held to the pin by its file.
        command += [one.name if registry == "tar" else f"{one.name}={one.version}" for one in batch]
    try:
        done = subprocess.run(command, cwd=directory, capture_output=True, timeout=_TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _prepare_apt(downloads: Path) -> None:
    """The package sources of this machine and of the next release, with source packages, in a state of their own."""
    home = (downloads / "apt").resolve()
    for part in ("lists/partial", "cache/archives/partial", "parts"):
        (home / part).mkdir(parents=True, exist_ok=True)
    for source in _SOURCES:
        for file in [source] if source.is_file() else sorted(source.glob("*.sources")) + sorted(source.glob("*.list")):
            text = file.read_text(encoding="utf-8").replace("Types: deb\n", "Types: deb deb-src\n")
            if file.suffix == ".list":
                text += "\n" + "\n".join("deb-src" + line[3:] for line in text.splitlines() if line.startswith("deb "))
            (home / "parts" / file.name).write_text(text, encoding="utf-8")
            later = text.replace(_RELEASE, _NEXT_RELEASE).replace("Types: deb deb-src\n", "Types: deb-src\n")
            (home / "parts" / f"{_NEXT_RELEASE}-{file.name}").write_text(later, encoding="utf-8")
    (home / "apt.conf").write_text(
        f'Dir::State::lists "{home}/lists";\nDir::Cache "{home}/cache";\nDir::Etc::sourcelist "/dev/null";\n'
        f'Dir::Etc::sourceparts "{home}/parts";\nAPT::Sandbox::User "";\n',
        encoding="utf-8",
    )
    if shutil.which("apt-get") is None:
        print("LEFT OUT every Debian package: there is no apt-get here", file=sys.stderr)
        return
    subprocess.run(["apt-get", "-qq", "-c", str(home / "apt.conf"), "update"], check=False, timeout=_TIMEOUT_S)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pin", type=Path, metavar="DOWNLOADS", required=True, help="write packages.tsv from these")
    write_pins(pin(parser.parse_args().pin))


if __name__ == "__main__":
    main()
