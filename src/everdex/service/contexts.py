"""The semantic contexts of a snapshot as an answer: which there are, what each needs, and how current it is.

Contexts come from the snapshot alone; beside each stands what this machine has for it (the indexer and its version)
and what the store knows of it (when it was indexed, of how many files the result still holds). Nothing of the
repository is run to find that out.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from everdex import clock
from everdex.durable import decode_json, encode_json, replace_atomically
from everdex.errors import IndexerMissing, UsageError
from everdex.semantic import kept
from everdex.semantic.discovery import Member, Project, Projects, discover
from everdex.semantic.keeper import confinement
from everdex.semantic.kept import ContextFacts
from everdex.semantic.tools import TOOLS, Installed, installed, locate
from everdex.service.answers import Answer, Freshness
from everdex.service.index import Index
from everdex.settings import semantic_unasked
from everdex.snapshot.store import Store
from everdex.state.jobs import JobRecords, JobStatus, RefreshJob
from everdex.view import SnapshotView


def projects_of(view: SnapshotView) -> Projects:
    """The contexts of a snapshot, with the files that each owns."""
    members = (
        Member(path, language, line.content_hash)
        for path, language in zip(view.paths, view.file_languages, strict=True)
        if (line := view.file_line(path)) is not None
    )
    return discover(members, view.source)


def named(projects: Projects, name: str) -> Project:
    """The context of an id, a name or, where that is beyond doubt, a language or directory."""
    for found in projects.found:
        if name in (found.id, found.name):
            return found
    alike = [found for found in projects.found if name.rstrip("/") in (found.language, found.root or ".")]
    if len(alike) == 1:
        return alike[0]
    known = ", ".join(found.name for found in (alike or projects.found)[:20]) or "none"
    how = "several contexts are" if alike else "no context is"
    raise UsageError(f"{how} called {name[:100]!r}; there are {known}", hint="`everdex contexts` lists them")


def inputs_digest(project: Project, tool_version: str) -> str:
    """Names everything that an indexer's answer depends on, as far as it lies in the repository."""
    digest = hashlib.sha256(f"{project.config_hash}\0{project.tool}\0{tool_version}\n".encode())
    for member in project.files:
        digest.update(f"{member.path}\0{member.content_hash}\n".encode())
    return digest.hexdigest()


def require(program: Installed | None, project: Project) -> Installed:
    """The program of a context; `IndexerMissing` when it is not there or does not run."""
    if program is None:
        raise IndexerMissing(
            f"{project.name}: {project.tool} is not installed (looked for in PATH, never in the repository)",
            hint=TOOLS[project.tool].install,
        )
    if program.version is None:
        raise IndexerMissing(f"{project.name}: {program.path} does not run: {program.problem or 'it says no version'}",
                             hint=TOOLS[project.tool].install)  # fmt: skip
    return program


class Programs:
    """The indexers on this machine. A version is asked for once as long as the program's file is the same."""

    def __init__(self, root: Path, store: Store) -> None:
        self._root = root
        self._store = store
        self._path = store.cache / "tools.json"
        self._found: dict[str, Installed | None] = {}

    def of(self, project: Project) -> Installed | None:
        if project.tool not in self._found:
            self._found[project.tool] = self._remembered(project.tool)
        return self._found[project.tool]

    def _remembered(self, name: str) -> Installed | None:
        path = locate(name, self._root)
        if path is None:
            return None
        stamp = _stamp(path)
        kept = self._read()
        if kept.get(path, {}).get("stamp") == stamp:
            return Installed(name, path, str(kept[path]["version"]))
        found = installed(TOOLS[name], self._root)
        if found is not None and found.version is not None:
            kept[path] = {"stamp": stamp, "version": found.version}
            replace_atomically(self._path, encode_json(kept), self._store.permissions)
        return found

    def _read(self) -> dict[str, Any]:
        try:
            document = decode_json(self._path.read_bytes())
        except (OSError, msgspec.DecodeError):
            return {}
        return document if isinstance(document, dict) else {}


def _stamp(path: str) -> list[int]:
    found = os.stat(path)
    return [found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns]


# -- the answer ----------------------------------------------------------------------------------


def contexts_answer(
    index: Index, view: SnapshotView, freshness: Freshness, warnings: tuple[str, ...] = ()
) -> Answer:
    projects = projects_of(view)
    programs, records = Programs(index.root.path, view.store), JobRecords(view.store)
    readable, damaged = kept.read_all(view.store)
    facts = {found.context.id: found for found in readable}
    listed = [
        _described(view, project, programs.of(project), records, facts.get(project.id)) for project in projects.found
    ]
    known = {project.id for project in projects.found}
    listed += [_imported(view, found) for found in readable if found.context.id not in known]
    owned = sum(len(project.files) for project in projects.found)
    body = {"contexts": listed, "omitted": projects.omitted, "unasked": semantic_unasked(),
            "confined": confinement(connects=False)["confined"],
            "files": {"owned": owned, "others": len(view.paths) - owned}}  # fmt: skip
    return index.answer(view, freshness, body, warnings=(*warnings, *damaged))


def current_paths(view: SnapshotView, facts: ContextFacts | None) -> frozenset[str]:
    """The files that what is kept of a context still speaks of."""
    return frozenset() if facts is None else frozenset(entry.path for entry in kept.current(view, facts))


def _described(
    view: SnapshotView, project: Project, program: Installed | None, records: JobRecords, facts: ContextFacts | None
) -> dict[str, Any]:
    last = records.last_of(project.name)
    open_job = records.open_of(project.name)
    current = current_paths(view, facts)
    refreshed = None if facts is None else facts.context.refreshed_at
    return {
        "id": project.id, "name": project.name, "language": project.language, "root": project.root or ".",
        "config_path": project.config_path, "config_hash": project.config_hash, "files": len(project.files),
        "current_files": sum(member.path in current for member in project.files),
        "state": _state(project, program, facts, last, open_job),
        "tool": {
            "name": project.tool, "path": None if program is None else program.path,
            "version": None if program is None else program.version,
            "problem": None if program is None else program.problem or None, "install": TOOLS[project.tool].install,
        },
        "enabled": facts is None or facts.context.enabled,
        "refreshed_at": None if refreshed is None else clock.rfc3339(refreshed),
        "job_id": None if open_job is None else open_job.id,
        "error": None if last is None or last.status is not JobStatus.FAILED else
                 {"job_id": last.id, "code": last.error_code, "message": last.error},
    }  # fmt: skip


def _imported(view: SnapshotView, facts: ContextFacts) -> dict[str, Any]:
    """What came from elsewhere (`refresh --scip`), or of a project that this snapshot has not."""
    context = facts.context
    return {
        "id": context.id, "name": context.name, "language": context.language, "root": context.root or ".",
        "config_path": context.config_path, "config_hash": context.config_hash, "files": len(facts.entries),
        "current_files": len(current_paths(view, facts)), "state": "imported",
        "tool": {"name": context.tool, "path": None, "version": context.tool_version, "problem": None, "install": None},
        "enabled": context.enabled,
        "refreshed_at": None if context.refreshed_at is None else clock.rfc3339(context.refreshed_at),
        "job_id": None, "error": None,
    }  # fmt: skip


def _state(
    project: Project, program: Installed | None, facts: ContextFacts | None, last: RefreshJob | None,
    open_job: RefreshJob | None,
) -> str:  # fmt: skip
    """queued, running, current, behind, failed or never."""
    if open_job is not None:
        return str(open_job.status)
    if last is not None and last.status is JobStatus.FAILED:
        return "failed"
    if facts is None:
        return "never"
    version = facts.context.tool_version if program is None or program.version is None else program.version
    return "current" if is_current(last, project, version) else "behind"


def is_current(last: RefreshJob | None, project: Project, version: str) -> bool:
    """Whether the job that ended last was about exactly this."""
    result: Mapping[str, Any] = (last.result if last is not None else None) or {}
    return result.get("inputs") == inputs_digest(project, version)
