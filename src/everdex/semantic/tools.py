"""The one-shot indexers, as data, and where they are on this machine.

An indexer is looked for in PATH and nowhere else: never in the repository (a PATH entry or a link that leads into it
does not count), never by a name that the repository gives. Asking one for its version is all that is run here, away
from the repository.
"""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path
from typing import Final

import msgspec

from everdex import limits

_MAX_VERSION: Final = 80
_ENTRIES: Final = 200  # of PATH that are looked at


class Tool(msgspec.Struct, frozen=True):
    """How an indexer is run; {root}, {output}, {name}, {scratch} and {empty} are filled in.

    `needs` are names copied from the tree though the index may not have them; `links` directories that are linked.
    `keeps` are variables of the user's environment it may see, `writes` directories it may write to, by their place
    below the home or in full.
    """

    name: str
    argv: tuple[str, ...]
    install: str
    environment: dict[str, str] = {}
    keeps: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    connects: bool = False  # its build talks to a process of its own over TCP
    without_marker: tuple[tuple[str, ...], str] | None = None  # none of these in the root: one argument more


_ALWAYS: Final = {"TMPDIR": "{scratch}/tmp", "XDG_CACHE_HOME": "{scratch}/cache"}
_NODE: Final = {"NODE_OPTIONS": "--max-old-space-size=4096"}
TOOLS: Final = {
    tool.name: tool
    for tool in (
        Tool(
            "scip-python",
            ("index", "--cwd", "{root}", "--project-name", "{name}", "--project-version", "0",
             "--environment", "{empty}", "--quiet", "--output", "{output}"),
            "npm install -g @sourcegraph/scip-python",
            environment=_NODE,
        ),
        Tool(
            "scip-typescript",
            ("index", "--cwd", "{root}", "--no-progress-bar", "--output", "{output}"),
            "npm install -g @sourcegraph/scip-typescript",
            environment=_NODE,
            links=("node_modules",),
            # writes one into the directory it is run in, which is never the user's
            without_marker=(("tsconfig.json",), "--infer-tsconfig"),
        ),
        Tool(
            "scip-go",
            ("--quiet", "--module-root", "{root}", "--module-version", "0", "--output", "{output}"),
            "go install github.com/scip-code/scip-go/cmd/scip-go@latest",
            environment={"GOCACHE": "{scratch}/go-build", "GOFLAGS": "-mod=mod", "GOPROXY": "off",
                         "GOTOOLCHAIN": "local"},
            keeps=("GOPATH", "GOROOT", "GOMODCACHE"),
            needs=("go.sum", "go.work.sum"),
        ),
        Tool(
            "rust-analyzer",
            ("scip", "{root}", "--output", "{output}"),
            "rustup component add rust-analyzer",
            environment={"CARGO_TARGET_DIR": "{scratch}/target", "CARGO_NET_OFFLINE": "true"},
            keeps=("CARGO_HOME", "RUSTUP_HOME", "RUSTUP_TOOLCHAIN"),
            needs=("Cargo.lock",),
        ),
        Tool(
            "scip-java",
            ("index", "--cwd", "{root}", "--output", "{output}"),
            "coursier bootstrap --standalone -o scip-java org.scip-code:scip-java:latest.release "
            "--main org.scip_code.scip_java.ScipJava",
            keeps=("JAVA_HOME", "MAVEN_OPTS", "GRADLE_OPTS"),
            needs=("gradlew", "mvnw", "gradle-wrapper.jar", "maven-wrapper.jar"),
            # caches, and neither init.d nor settings.xml, which later builds of the user would run
            writes=(".gradle/caches", ".gradle/daemon", ".gradle/native", ".gradle/workers", ".gradle/.tmp",
                    ".m2/repository", ".cache/coursier"),
            connects=True,
        ),
        Tool(
            "scip-dotnet",
            ("index", "--working-directory", "{root}", "--output", "{output}"),
            "dotnet tool install --global scip-dotnet",
            environment={"DOTNET_CLI_TELEMETRY_OPTOUT": "1", "DOTNET_NOLOGO": "1", "DOTNET_CLI_HOME": "{scratch}"},
            keeps=("DOTNET_ROOT",),
            needs=("packages.lock.json",),
            writes=(".nuget/packages", ".local/share/NuGet"),  # not .dotnet, where its own program is
            connects=True,
        ),
        Tool(
            "scip-clang",
            ("--compdb-path={root}/compile_commands.json", "--index-output-path={output}"),
            "download scip-clang from its releases",
            writes=("/dev/shm",),  # by which its processes talk to each other
        ),
    )
}  # fmt: skip


class Installed(msgspec.Struct, frozen=True):
    """A program that was found; `version` is None when it does not say one, and `problem` why."""

    tool: str
    path: str
    version: str | None
    problem: str = ""


def search_path(root: Path) -> list[str]:
    """The entries of PATH that are absolute and not in the repository."""
    found = []
    for entry in os.environ.get("PATH", os.defpath).split(os.pathsep)[:_ENTRIES]:
        if os.path.isabs(entry) and not _inside(entry, root):
            found.append(entry)
    return found


def locate(name: str, root: Path) -> str | None:
    """Where an indexer is; None when PATH has none outside the repository."""
    for entry in search_path(root):
        path = os.path.join(entry, name)
        try:
            regular = stat.S_ISREG(os.stat(path).st_mode)
        except (OSError, ValueError):
            continue
        if regular and os.access(path, os.X_OK) and not _inside(path, root):
            return path
    return None


def installed(tool: Tool, root: Path) -> Installed | None:
    """The tool on this machine, with what it says of itself."""
    path = locate(tool.name, root)
    if path is None:
        return None
    try:
        said = subprocess.run(
            [path, "--version"], stdin=subprocess.DEVNULL, capture_output=True, check=False, cwd="/",
            env=environment(tool, root, {}), timeout=limits.TOOL_VERSION_S,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Installed(tool.name, path, None, f"said no version within {limits.TOOL_VERSION_S} s")
    except OSError as error:
        return Installed(tool.name, path, None, error.strerror or "cannot be started")
    lines = (said.stdout.strip() or said.stderr.strip()).decode("utf-8", "replace").splitlines()
    first = lines[0].strip()[:_MAX_VERSION] if lines else ""
    if said.returncode:
        return Installed(tool.name, path, None, first or f"ended with {said.returncode}")
    return Installed(tool.name, path, first.removeprefix(tool.name).strip() or None)


def environment(tool: Tool, root: Path, filled: dict[str, str]) -> dict[str, str]:
    """All that an indexer sees of the user's environment."""
    kept = {name: os.environ[name] for name in ("HOME", *tool.keeps) if name in os.environ}
    own = {name: value.format(**filled) for name, value in {**_ALWAYS, **tool.environment}.items()} if filled else {}
    return {**kept, "PATH": os.pathsep.join(search_path(root)), "LC_ALL": "C.UTF-8", **own}


def _inside(path: str, root: Path) -> bool:
    real = os.path.realpath(path)
    return real == os.fspath(root) or real.startswith(f"{root}{os.sep}")
