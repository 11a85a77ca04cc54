"""Edges that other tools claim for a project, in the same form as ours: (path, first line, name) of caller and callee.

Each tool runs as its own process from its own environment; a tool that fails or does not finish gives why. Definitions
are matched by file, name and the line of the name, so that decorators do not matter.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lsp

from everdex.graph.model import FileGraph

Place = tuple[str, int, str]
Edge = tuple[Place, Place]


class Known:
    """The project's definitions, by several names."""

    def __init__(self, graphs: dict[str, FileGraph]) -> None:
        self.by_name_line: dict[tuple[str, int, str], Place] = {}
        self.by_qualified: dict[str, Place] = {}
        for path, graph in graphs.items():
            for node in graph.nodes:
                name = "<module>" if node.kind == "module" else "<lambda>" if node.kind == "lambda" else node.name
                place = (path, node.start_line, name)
                self.by_name_line.setdefault((path, node.name_line, name), place)
                self.by_qualified.setdefault(node.qualified_name, place)


def pyrefly(root: Path, environment: Path, known: Known) -> set[Edge] | str:
    with tempfile.TemporaryDirectory() as out:
        command = [
            str(environment / "bin/pyrefly"), "check", "--python-interpreter-path", str(environment / "bin/python"),
            "--search-path", "src", "--report-pysa", out, "--report-pysa-format", "json", "--output-format",
            "omit-errors", "--check-unannotated-defs=true", "src", "tests",
        ]  # fmt: skip
        try:
            subprocess.run(command, cwd=root, capture_output=True, timeout=300, check=False)
            modules = json.loads(Path(out, "pyrefly.pysa.json").read_text())["modules"]
        except (subprocess.TimeoutExpired, OSError) as error:
            return f"failed: {type(error).__name__}"
        return _pyrefly_edges(root, Path(out), modules, known)


def _pyrefly_edges(root: Path, out: Path, modules: dict[str, Any], known: Known) -> set[Edge]:
    functions: dict[tuple[int, str], Place] = {}
    mine: list[tuple[dict[str, Any], str]] = []
    for module in modules.values():
        source = module["source_path"].get("FileSystem", "")
        if not source.startswith(f"{root.resolve()}/"):
            continue
        path = Path(source).relative_to(root.resolve()).as_posix()
        mine.append((module, path))
        definitions = json.loads((out / "definitions" / module["info_filename"]).read_text())
        for number, each in definitions["function_definitions"].items():
            location = each.get("name_location")
            if location:
                place = known.by_name_line.get((path, int(location.split(":")[0]), each["name"]))
                if place is not None:
                    functions[module["module_id"], number] = place
    edges: set[Edge] = set()
    for module, path in mine:
        graphs = json.loads((out / "call_graphs" / module["info_filename"]).read_text())["call_graphs"]
        for number, calls in graphs.items():
            caller = (path, 1, "<module>") if number == "MTL" else functions.get((module["module_id"], number))
            if caller is None:
                continue
            for target in _targets(calls):
                callee = functions.get((target["module_id"], target["function_id"]))
                if callee is not None:
                    edges.add((caller, callee))
    return edges


def _targets(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        target = value.get("target")
        if isinstance(target, dict):
            yield from (each for each in target.values() if isinstance(each, dict) and "function_id" in each)
        for key, inner in value.items():
            if key not in ("if_called", "higher_order_parameters"):
                yield from _targets(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _targets(inner)


def pyright(root: Path, environment: Path, graphs: dict[str, FileGraph], known: Known) -> set[Edge] | str:
    """What its call hierarchy says calls each function and class of the sources: what agents ask through its server."""
    with tempfile.TemporaryDirectory() as work:
        tree = Path(work).resolve() / root.name  # without the project's own settings, which may leave out its tests
        for part in ("src", "tests"):
            shutil.copytree(root / part, tree / part)
        settings = {"python": {"pythonPath": str(environment / "bin/python")}}
        try:
            server = lsp.Server("pyright-langserver", tree, Path(work), settings)
        except lsp.Unavailable:
            return "is not installed"
        edges: set[Edge] = set()
        for path, graph in graphs.items():
            for node in graph.nodes:
                made = f"{node.qualified_name}.__init__" if node.kind == "class" else node.qualified_name
                if not path.startswith("src/") or node.kind not in ("class", "function", "method"):
                    continue
                callers = server.callers(path, node.name_line, node.name_column)
                if made in known.by_qualified:
                    edges |= {
                        (known.by_name_line.get(caller, (caller[0], 1, "<module>")), known.by_qualified[made])
                        for caller in callers
                    }
        server.close()
        return edges


def pycg(root: Path, environment: Path, known: Known, seconds: int = 150) -> set[Edge] | str:
    """Limited in CPU time, so that what else the machine does decides nothing."""
    sources = sorted(path.relative_to(root / "src").as_posix() for path in (root / "src").rglob("*.py"))
    installed = next(environment.glob("lib/python*/site-packages/PyCG"), None)
    if installed is None:
        return "is not installed"
    with tempfile.TemporaryDirectory() as directory:
        # Its package is installed as `PyCG` and imports itself as `pycg`, which only some file systems allow.
        Path(directory, "pycg").symlink_to(installed)
        out = Path(directory, "out.json")
        command = [str(environment / "bin/python"), "-m", "pycg", "--package", ".", *sources, "-o", str(out)]
        given = {**os.environ, "PYTHONPATH": directory}
        try:
            subprocess.run(
                command, cwd=root / "src", env=given, capture_output=True, text=True, check=True,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds)),
            )  # fmt: skip
            found = json.loads(out.read_text())
        except subprocess.CalledProcessError as error:
            if error.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
                return f"did not finish in {seconds} s of CPU"
            return f"failed: {(error.stderr.strip().splitlines() or ['no message'])[-1]}"
    return {
        (known.by_qualified[caller], known.by_qualified[callee])
        for caller, callees in found.items()
        for callee in callees
        if caller in known.by_qualified and callee in known.by_qualified
    }


_JEDI = """
import json, sys, time
import jedi
root, seconds = sys.argv[1], float(sys.argv[2])
project = jedi.Project(root, added_sys_path=[root + "/src"])
asked = json.load(sys.stdin)
end = time.monotonic() + seconds
done = []
for path, sites in asked:
    script = jedi.Script(path=root + "/" + path, project=project)
    for number, line, column in sites:
        if time.monotonic() > end:
            json.dump([False, done], sys.stdout)
            sys.exit()
        try:
            found = script.infer(line, column)
        except Exception:
            found = []
        for each in found:
            if each.module_path and str(each.module_path).startswith(root + "/") and each.line:
                done.append([number, str(each.module_path)[len(root) + 1:], each.line, each.name, each.type])
json.dump([True, done], sys.stdout)
"""


def jedi(
    root: Path, environment: Path, graphs: dict[str, FileGraph], known: Known, seconds: int = 240
) -> set[Edge] | str:
    """What `infer` says at the name of each of our explicit call sites, in the sources."""
    callers: list[Place] = []
    asked: list[tuple[str, list[tuple[int, int, int]]]] = []
    for path, graph in graphs.items():
        if not path.startswith("src/"):
            continue
        sites = []
        for site in graph.sites:
            if site.role == "call":
                node = graph.nodes[site.source]
                name = "<module>" if node.kind == "module" else "<lambda>" if node.kind == "lambda" else node.name
                sites.append((len(callers), site.end_line, max(0, site.end_column - 1)))
                callers.append((path, node.start_line, name))
        asked.append((path, sites))
    try:
        run = subprocess.run(
            [str(environment / "bin/python"), "-c", _JEDI, str(root.resolve()), str(seconds)],
            input=json.dumps(asked), capture_output=True, text=True, timeout=seconds + 60, check=True,
        )  # fmt: skip
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        return f"failed: {type(error).__name__}"
    complete, found = json.loads(run.stdout)
    if not complete:
        return f"did not finish in {seconds} s"
    edges: set[Edge] = set()
    for number, path, line, name, kind in found:
        place = known.by_name_line.get((path, line, name))
        if kind == "class" and place is not None:
            inner = [node for node in graphs[path].nodes if node.name_line == line and node.name == name]
            place = known.by_qualified.get(f"{inner[0].qualified_name}.__init__") if inner else None
        if place is not None:
            edges.add((callers[number], place))
    return edges
