"""A semantic context is indexed as a job: what it imports is about the bytes that are there, and nothing is lost."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex import config, versions
from everdex.errors import Busy, ConfigError, IndexerMissing, LimitExceeded, StorageFailure, UsageError
from everdex.semantic import kept, mirror
from everdex.semantic.discovery import context_id
from everdex.semantic.running import Run
from everdex.semantic.tools import TOOLS
from everdex.service import contexts, indexing, maintain
from everdex.service.index import Index, Reading
from everdex.service.refreshing import RefreshJobs, semantic_answer
from everdex.service.work import OwnWork
from everdex.snapshot.guard import lock_for_life
from everdex.state import scopes
from everdex.state.jobs import LOCK, JobRecords, JobStatus, RefreshJob
from everdex.state.scopes import RefreshScope
from everdex.sync.model import SyncOptions
from support.indexers import copying, export_index, put_indexer
from support.processes import Child
from support.stores import Workspace, synced
from support.trees import commit_all, run_git

_FILES = {
    "pyproject.toml": "[project]\nname = 'p'\n",
    "core.py": "def helper(a):\n    return a\n",
    "app.py": "from core import helper\nhelper(1)\n",
    "lone.py": "def alone():\n    return 1\n",
}
_CONTEXT = context_id("python", "")
# Runs a job and is killed while the indexer is at work.
_DYING = """
from everdex.service.refreshing import RefreshJobs
from everdex.service.index import Index
RefreshJobs(Index.open(ARGS[0])).run(int(ARGS[1]))
"""


class Scene:
    """A repository with one context and an indexer that knows it."""

    def __init__(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
        self.made = synced(tmp_path / "tree", files, git=True)
        self._monkeypatch, self._bin, self._scip = monkeypatch, tmp_path / "bin", tmp_path / "index.scip"
        self.index = Index.open(self.made.path)
        self.jobs = RefreshJobs(self.index)
        self.answer_now()

    def answer_now(self, before: str = "") -> None:
        """Have the indexer say what is true of the tree as it is."""
        self.install(f"{before}\n{copying(export_index(self.made.path, self._scip))}")

    def install(self, body: str) -> None:
        put_indexer(self._bin, self._monkeypatch, body)

    def enqueue(self, scope: RefreshScope | None = None) -> int:
        numbers, _ = indexing.enqueue(self.index, scope=scope)
        (number,) = numbers
        return number

    def run(self, work: OwnWork | None = None) -> RefreshJob:
        return self.jobs.run(self.enqueue(), work)

    def current(self) -> set[str]:
        """The files of the context that have semantic facts about their bytes as they are."""
        (context,) = self.contexts()["contexts"]
        with self.index.view(Reading(sync=False)) as (view, _):
            facts = {found.context.id: found for found in kept.read_all(view.store)[0]}
            found = contexts.current_paths(view, facts.get(_CONTEXT))
        assert len(found) == context["current_files"]
        return set(found)

    def contexts(self) -> dict[str, Any]:
        return contexts.ask_contexts(self.index, Reading()).to_dict()

    def state(self) -> str:
        return str(self.contexts()["contexts"][0]["state"])

    def meddling(self, meddle: Callable[[], object]) -> OwnWork:
        """Work during which something happens after the indexer has run and before its answer is looked at."""

        class Meddling(OwnWork):
            ran = False

            def indexing(self, run: Run) -> None:
                self.ran = True

            def sync(self, options: SyncOptions) -> None:
                if self.ran:
                    meddle()
                super().sync(options)

        return Meddling(self.index)


@pytest.fixture
def scene(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Scene:
    return Scene(tmp_path, monkeypatch, _FILES)


_ALL = {"core.py", "app.py", "lone.py"}


# -- the order of things -------------------------------------------------------------------------


def test_an_indexed_context_is_current_until_something_changes(scene: Scene) -> None:
    """Then there is nothing to do; a changed file, configuration or tool makes it behind."""
    assert scene.state() == "never"
    done = scene.run()
    assert (done.status, done.error, done.context) == (JobStatus.SUCCEEDED, None, "python:.")
    assert done.files == len(_ALL)
    assert (scene.state(), scene.current()) == ("current", _ALL)
    assert indexing.enqueue(scene.index) == ([], [])
    scene.made.write({"lone.py": "def alone():\n    return 2\n"})
    assert (scene.state(), scene.current()) == ("behind", _ALL - {"lone.py"})
    scene.made.write({"lone.py": _FILES["lone.py"]})
    assert scene.state() == "current"
    scene.made.write({"pyproject.toml": "[project]\nname = 'q'\n"})
    assert scene.state() == "behind"


def test_a_scope_that_is_current_needs_no_job(scene: Scene) -> None:
    """Only what was asked for counts."""
    scene.run()
    scene.made.write({"lone.py": "x = 1\n"})
    assert indexing.enqueue(scene.index, scope=RefreshScope(files=("core.py", "app.py"))) == ([], [])
    assert scene.enqueue(RefreshScope(files=("lone.py",)))


def test_a_file_that_changes_meanwhile_is_left_out_and_queued_again(scene: Scene) -> None:
    """The rest is imported; the job that follows covers what was left."""
    done = scene.run(scene.meddling(lambda: scene.made.write({"lone.py": "def other():\n    return 3\n"})))
    assert done.status is JobStatus.SUCCEEDED
    assert done.result is not None
    assert (done.result["indexed"], done.result["left"]) == (2, 1)
    assert scene.current() == {"core.py", "app.py"}
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    assert scene.jobs.status(following).trigger_reason == "changed_during_run"
    assert scene.jobs.status(following).scope == RefreshScope(files=("lone.py",))
    scene.answer_now()
    assert scene.jobs.run(following).status is JobStatus.SUCCEEDED
    assert (scene.current(), scene.state()) == (_ALL, "current")


def test_a_file_deleted_meanwhile_has_no_facts(scene: Scene) -> None:
    """The snapshot decides what there is."""
    done = scene.run(scene.meddling(lambda: scene.made.remove("lone.py")))
    assert done.status is JobStatus.SUCCEEDED
    assert scene.current() == {"core.py", "app.py"}


def test_another_head_alone_loses_nothing(scene: Scene) -> None:
    """HEAD is read afresh; files that are the same under it are imported."""
    done = scene.run(scene.meddling(lambda: commit_all(scene.made.path, "another")))
    assert done.status is JobStatus.SUCCEEDED
    assert done.result is not None
    assert done.result["head"] == run_git(scene.made.path, "rev-parse", "HEAD").strip() != done.head_at_enqueue
    assert scene.current() == _ALL


def test_another_head_with_other_files_leaves_those_out(scene: Scene) -> None:
    """A checkout while the indexer runs is an edit of many files."""

    def checkout() -> None:
        scene.made.write({"core.py": "def helper(a, b):\n    return b\n"})
        commit_all(scene.made.path, "another")

    scene.run(scene.meddling(checkout))
    assert scene.current() == {"app.py", "lone.py"}


def test_another_configuration_meanwhile_supersedes_the_job(scene: Scene) -> None:
    """Its answer is about a project that is no more; its successor covers the same, and nothing was imported."""
    done = scene.run(scene.meddling(lambda: scene.made.write({"pyproject.toml": "[tool.x]\n"})))
    assert (done.status, done.superseded_reason) == (JobStatus.SUPERSEDED, "config_changed")
    assert (scene.current(), scene.state()) == (set(), "queued")
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    assert scene.jobs.run(following).status is JobStatus.SUCCEEDED
    assert scene.current() == _ALL


def test_a_job_that_was_superseded_meanwhile_imports_nothing(scene: Scene) -> None:
    """It is read again before the import, not remembered."""
    number = scene.enqueue()

    class Superseding(OwnWork):
        def indexing(self, run: Run) -> None:
            JobRecords(scene.made.store).superseded(number, "by hand")

    done = scene.jobs.run(number, Superseding(scene.index))
    assert (done.status, done.superseded_reason) == (JobStatus.SUPERSEDED, "by hand")
    assert scene.current() == set()


def test_a_job_has_succeeded_only_after_its_import(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """While the import runs the job does, and an import that fails is no success."""
    number, seen = scene.enqueue(), []

    def refusing(*_: object) -> None:
        seen.append(scene.jobs.status(number).status)
        raise StorageFailure("the disk is full")

    monkeypatch.setattr(indexing, "import_scip", refusing)
    done = scene.jobs.run(number)
    assert seen == [JobStatus.RUNNING]
    assert (done.status, done.error_code, done.error) == (JobStatus.FAILED, "io_error", "the disk is full")


def test_an_answer_that_is_garbage_changes_nothing(scene: Scene) -> None:
    """What was imported before stays."""
    scene.run()
    scene.made.write({"lone.py": "x = 1\n"})
    scene.install('open(output, "wb").write(os.urandom(4_096))')
    done = scene.run()
    assert (done.status, done.error_code) == (JobStatus.FAILED, "scip_invalid")
    assert (scene.current(), scene.state()) == (_ALL - {"lone.py"}, "failed")


# -- claiming and widening -----------------------------------------------------------------------


def test_a_running_job_is_followed_by_what_it_did_not_cover(scene: Scene) -> None:
    """Asked for more while it runs, it remembers; what its answer did not bring is queued after it."""
    number = scene.enqueue(RefreshScope(files=("core.py",)))

    def ask_for_more() -> None:
        scene.made.write({"later.py": "def other():\n    return 3\n"})
        assert indexing.enqueue(scene.index, scope=RefreshScope(files=("later.py",)))[0] == [number]

    done = scene.jobs.run(number, scene.meddling(ask_for_more))
    assert (done.status, done.widened) == (JobStatus.SUCCEEDED, True)
    assert done.desired_scope == RefreshScope(files=("core.py", "later.py"))
    following = scene.jobs.next_queued(semantic=True)
    assert following is not None
    next_job = scene.jobs.status(following)
    assert (next_job.trigger_reason, next_job.scope) == ("widened", done.desired_scope)


def test_contexts_have_jobs_of_their_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queued job of one is not widened for another, nor for files and references."""
    files = {**_FILES, "sub/setup.py": "", "sub/inner.py": "x = 1\n"}
    scene = Scene(tmp_path, monkeypatch, files)
    scene.made.write({"lone.py": "x = 1\n"})
    plain = scene.jobs.enqueue()
    assert plain is not None
    numbers, missing = indexing.enqueue(scene.index)
    assert len({*numbers, plain}) == 3
    assert missing == []
    assert [scene.jobs.status(number).context for number in numbers] == ["python:.", "python:sub"]
    assert indexing.enqueue(scene.index)[0] == numbers
    assert scene.jobs.next_queued() == plain


def test_an_outer_context_keeps_nothing_of_an_inner_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its indexer reads those files too, but they are not its own."""
    scene = Scene(tmp_path, monkeypatch, {**_FILES, "sub/setup.py": "", "sub/inner.py": "x = 1\n"})
    (number, _), _ = indexing.enqueue(scene.index)
    assert scene.jobs.run(number).status is JobStatus.SUCCEEDED
    facts = kept.ContextFacts(kept.facts_path(scene.made.store, _CONTEXT))
    assert {entry.path for entry in facts.entries} == _ALL


def test_one_process_runs_indexers_and_others_are_not_in_its_way(scene: Scene) -> None:
    """A second is told that it is busy; jobs for files and references run meanwhile."""
    number = scene.enqueue()
    store = scene.made.store
    handle = lock_for_life(store.indexer_lock, store.permissions)
    with pytest.raises(Busy):
        scene.jobs.run(number)
    assert JobRecords(store).claim(number) is not None  # by whoever holds the lock
    scene.made.write({"lone.py": "x = 1\n"})
    plain = scene.jobs.enqueue()
    assert plain is not None
    assert scene.jobs.run(plain).status is JobStatus.SUCCEEDED
    assert scene.jobs.status(number).status is JobStatus.RUNNING
    os.close(handle)
    handle = lock_for_life(store.locks / LOCK, store.permissions)
    assert scene.jobs.run(number).status is JobStatus.SUCCEEDED
    os.close(handle)


def test_the_job_of_a_killed_process_is_taken_up_again(scene: Scene) -> None:
    """And nothing of its indexer's is left on disk or running."""
    number = scene.enqueue()
    scene.answer_now('open(os.environ["TMPDIR"] + "/here", "w").write(str(os.getpid()))\ntime.sleep(600)')
    with Child(_DYING, str(scene.made.path), str(number)) as child:
        told = _wait_for(scene.made, "here")
        os.kill(child.process.pid, signal.SIGKILL)
        _until(lambda: not Path(f"/proc/{told}").exists())
    assert scene.jobs.status(number).status is JobStatus.RUNNING
    scene.answer_now()
    done = scene.jobs.run(number)
    assert (done.status, done.attempts) == (JobStatus.SUCCEEDED, 2)
    assert not (scene.made.store.scratch).exists()


def test_a_cancelled_job_is_queued_again(scene: Scene) -> None:
    """As if it had not been begun."""
    number = scene.enqueue()
    scene.answer_now("time.sleep(600)")

    class Leaving(OwnWork):
        def indexing(self, run: Run) -> None:
            threading.Timer(0.3, run.cancel).start()

    left = scene.jobs.run(number, Leaving(scene.index))
    assert (left.status, left.attempts) == (JobStatus.QUEUED, 0)


def test_a_budget_ends_the_indexer(scene: Scene) -> None:
    """The job has failed, and says by what."""
    scene.answer_now("time.sleep(600)")
    numbers, _ = indexing.enqueue(scene.index, budget_ms=1)
    done = scene.jobs.run(numbers[0])
    assert (done.status, done.error_code) == (JobStatus.FAILED, "timeout")


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _wait_for(made: Workspace, name: str) -> int:
    """What an indexer wrote into its directory for temporary files."""
    scratch = made.store.scratch
    _until(lambda: any(path.read_text() for path in scratch.glob(f"*/tmp/{name}")))
    (found,) = scratch.glob(f"*/tmp/{name}")
    return int(found.read_text())


# -- the lattice ---------------------------------------------------------------------------------

_NAMES = st.sampled_from(["a.py", "pkg/a.py", "pkg/sub/b.py", "other/c.py"])
_SCOPES = st.none() | st.builds(
    RefreshScope,
    files=st.none() | st.lists(_NAMES, min_size=1).map(tuple),
    packages=st.none() | st.lists(st.sampled_from(["pkg", "pkg/sub", "other"]), min_size=1).map(tuple),
    changed_since=st.none() | st.floats(0, 10),
).filter(lambda scope: scope != RefreshScope()).map(scopes.checked)


@given(_SCOPES, _SCOPES, _SCOPES, _NAMES, st.floats(0, 10))
def test_scopes_are_a_lattice(
    one: RefreshScope | None, other: RefreshScope | None, third: RefreshScope | None, name: str, changed_at: float
) -> None:
    """The union does not depend on order, covers both, adds nothing to what covers already; everything is widest."""
    both = scopes.merged(one, other)
    assert both == scopes.merged(other, one)
    assert scopes.merged(both, third) == scopes.merged(one, scopes.merged(other, third))
    assert scopes.merged(both, one) == both
    assert scopes.merged(one, None) is None
    covered = scopes.contains(one, name, changed_at) or scopes.contains(other, name, changed_at)
    assert scopes.contains(both, name, changed_at) is covered


# -- who may ask ---------------------------------------------------------------------------------


def test_a_repository_cannot_have_an_indexer_run(scene: Scene) -> None:
    """Its configuration has no word for it."""
    scene.made.write({".everdex.toml": "[semantic]\nunasked = true\n"})
    with pytest.raises(ConfigError, match="unknown table or key 'semantic'"):
        Index.open(scene.made.path)


def test_a_queued_job_needs_a_daemon_that_may_run_it(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the user's own settings say that one may."""
    with pytest.raises(UsageError, match="may not run indexers"):
        semantic_answer(scene.index, None, None, queue=True)
    monkeypatch.setenv("EVERDEX_SEMANTIC", "1")
    (job,) = semantic_answer(scene.index, None, None, queue=True).to_dict()["jobs"]
    assert job["status"] == "queued"


def test_without_an_indexer_nothing_is_queued(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the program and how to get it."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with pytest.raises(IndexerMissing, match=r"python:\.: scip-python is not installed") as told:
        indexing.enqueue(scene.index)
    assert told.value.hint == "npm install -g @sourcegraph/scip-python"
    (context,) = scene.contexts()["contexts"]
    assert (context["tool"]["path"], context["state"]) == (None, "never")
    assert scene.jobs.next_queued(semantic=True) is None


def test_an_indexer_that_is_gone_by_then_fails_the_job(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A queued job outlives an uninstallation."""
    number = scene.enqueue()
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    done = scene.jobs.run(number)
    assert (done.status, done.error_code) == (JobStatus.FAILED, "indexer_missing")


def test_contexts_without_an_indexer_do_not_stop_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are told beside the jobs; asked for by name, they are an error."""
    scene = Scene(tmp_path, monkeypatch, {**_FILES, "web/package.json": "{}", "web/x.js": "let x = 1\n"})
    numbers, missing = indexing.enqueue(scene.index)
    assert (len(numbers), [error.code for error in missing]) == (1, ["indexer_missing"])
    for name in ("typescript:web", "typescript", "web", context_id("typescript", "web")):
        with pytest.raises(IndexerMissing, match="scip-typescript"):
            indexing.enqueue(scene.index, name)
    with pytest.raises(UsageError, match=r"no context is called 'rust'; there are python:\., typescript:web"):
        indexing.enqueue(scene.index, "rust")


# -- what it reads and writes --------------------------------------------------------------------


def test_an_indexer_works_on_a_copy_of_the_snapshot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it writes where it runs is not in the tree; it reads what was indexed, and packages that are installed."""
    files = {
        "web/tsconfig.json": "{}", "web/x.ts": "let x = 1\n", "web/node_modules/dep/index.d.ts": "export {}\n",
        ".gitignore": "node_modules\n", "lib/core.ts": "export let y = 2\n",
    }  # fmt: skip
    made = synced(tmp_path / "tree", files, git=True)
    index = Index.open(made.path)
    scip = export_index(made.path, tmp_path / "index.scip")
    body = (
        'open("planted.ts", "w")\n'
        'seen = [open("x.ts").read(), open("node_modules/dep/index.d.ts").read(), open("../lib/core.ts").read()]\n'
        f'assert seen == [{files["web/x.ts"]!r}, "export {{}}\\n", {files["lib/core.ts"]!r}], seen\n'
    )
    put_indexer(tmp_path / "bin", monkeypatch, body + copying(scip), name="scip-typescript")
    before = sorted(path.relative_to(made.path) for path in made.path.rglob("*") if ".git/" not in str(path))
    (number,), _ = indexing.enqueue(index)
    done = RefreshJobs(index).run(number)
    assert (done.status, done.error) == (JobStatus.SUCCEEDED, None)
    after = sorted(path.relative_to(made.path) for path in made.path.rglob("*") if ".git/" not in str(path))
    assert before == after


def test_a_directory_that_became_a_link_is_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What lies outside the repository is neither copied nor linked."""
    outside = tmp_path / "outside"
    (outside / "node_modules").mkdir(parents=True)
    made = synced(tmp_path / "tree", {"web/tsconfig.json": "{}", "web/x.ts": "let x = 1\n"})
    scip = export_index(made.path, tmp_path / "index.scip")
    body = 'assert not os.path.lexists("node_modules")\n' + copying(scip)
    put_indexer(tmp_path / "bin", monkeypatch, body, name="scip-typescript")
    (made.path / "web" / "node_modules").symlink_to(outside / "node_modules")
    (number,), _ = indexing.enqueue(Index.open(made.path))
    done = RefreshJobs(Index.open(made.path)).run(number)
    assert (done.status, done.error) == (JobStatus.SUCCEEDED, None)


def test_what_a_killed_indexer_left_is_collected(scene: Scene) -> None:
    """By gc when nobody indexes again, though not while somebody does."""
    left = scene.made.store.scratch / "01ABC" / "tree"
    left.mkdir(parents=True)
    (left / "big.py").write_bytes(bytes(1_000))
    left.chmod(0o500)
    handle = lock_for_life(scene.made.store.indexer_lock, scene.made.store.permissions)
    assert maintain.gc(scene.index, apply=True).to_dict()["staging"] == ()
    os.close(handle)
    told = maintain.gc(scene.index, apply=True).to_dict()
    assert (told["staging"], told["bytes_freed"]) == (("01ABC",), 1_000)
    assert not scene.made.store.scratch.exists()


def test_what_is_nested_beyond_all_measure_is_removed(scene: Scene) -> None:
    """Directories deeper than a path can be long: a run that makes them has failed, and nothing stays of it."""
    nest = "for _ in range(5_000):\n    os.mkdir('d')\n    os.chdir('d')\nos.chmod('.', 0)\n"
    scene.install(f"{nest}open(output, 'w').write('x')")
    done = scene.run()
    assert (done.status, done.error_code) == (JobStatus.FAILED, LimitExceeded.code)
    assert not scene.made.store.scratch.exists()
    left = scene.made.store.scratch / "left"  # as a killed everdex leaves it
    left.mkdir(parents=True)
    subprocess.run([sys.executable, "-c", f"import os\n{nest}"], cwd=left, check=True)
    assert scene.index.status().to_dict()["size_bytes"] > 0
    maintain.gc(scene.index, apply=True)
    assert not scene.made.store.scratch.exists()


def test_a_copy_follows_no_directory_out_of_the_repository(tmp_path: Path) -> None:
    """One may become a link between the look at the tree and the copy."""
    root, outside, copy = (tmp_path / name for name in ("tree", "outside", "copy"))
    (outside / "node_modules").mkdir(parents=True)
    (outside / "package-lock.json").write_text("{}")
    root.mkdir()
    copy.mkdir()
    (root / "web").symlink_to(outside)
    mirror.make(copy, root, ["web/x.ts"], lambda _: b"let x = 1\n", TOOLS["scip-typescript"])
    assert sorted(path.name for path in copy.rglob("*")) == ["web", "x.ts"]


# -- records -------------------------------------------------------------------------------------


def test_records_of_before_there_were_contexts_are_kept(scene: Scene) -> None:
    """The file is brought to the new form by whoever opens it."""
    scene.made.write({"lone.py": "x = 1\n"})
    number = scene.jobs.enqueue()
    assert number is not None
    with sqlite3.connect(JobRecords(scene.made.store).path) as connection:
        connection.execute("ALTER TABLE jobs DROP COLUMN context")
        connection.execute("PRAGMA user_version = 1")
    connection.close()
    assert scene.jobs.status(number).context is None
    assert scene.run().status is JobStatus.SUCCEEDED


@pytest.mark.parametrize("artifact", ["semantic", "jobs"])
def test_another_form_of_what_is_kept_indexes_nothing_again(monkeypatch: pytest.MonkeyPatch, artifact: str) -> None:
    """Neither what indexers said nor a job is a part of what a store is for."""
    before = config.config_fingerprint(config.IndexConfig(), "model")
    monkeypatch.setitem(versions.ARTIFACTS, artifact, versions.SchemaRange(9, 9, 9))
    assert config.config_fingerprint(config.IndexConfig(), "model") == before


def test_a_failed_context_says_why(scene: Scene) -> None:
    """Its listing has the job, the code and the last words of the indexer."""
    scene.install('sys.exit("no such project")')
    done = scene.run()
    (context,) = scene.contexts()["contexts"]
    assert context["state"] == "failed"
    assert context["error"] == {"job_id": done.id, "code": "indexer_failed", "message": done.error}
    assert str(done.error).endswith("no such project")


def test_a_version_is_asked_for_once(scene: Scene) -> None:
    """As long as the program's file is the same; a damaged memory of it is none."""
    assert scene.contexts()["contexts"][0]["tool"]["version"] == "9.9.9"
    scene.install("import missing")
    kept_versions = scene.made.store.cache / "tools.json"
    for damaged in (b"{", b"[]", b"\xff"):
        kept_versions.write_bytes(damaged)
        assert scene.contexts()["contexts"][0]["tool"]["version"] == "9.9.9"

