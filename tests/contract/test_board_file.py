"""canvas/state.json: nothing that was written is lost, by anybody; nothing damaged is trusted or thrown away."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from everdex import limits, versions
from everdex.canvas.board import file as board_file
from everdex.canvas.board.model import decode
from everdex.errors import Corrupt, Incompatible, LimitExceeded, UsageError
from everdex.service import maintain
from everdex.service.index import Index, Reading
from everdex.sync.model import SyncOptions
from support.boards import Desk
from support.faults import KILLED
from support.processes import Child, environment
from support.stores import rewritten
from support.trees import tree

WRITER = """
from pathlib import Path
from support.boards import Desk
desk = Desk(Path(ARGS[0]))
input()
for number in range(int(ARGS[2])):
    desk.do("claim", text=f"{ARGS[1]} {number}", sync=False)
print("done", flush=True)
"""


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    made = Desk(tree(tmp_path / "project", {"a.py": "def first():\n    return 1\n"}, git=True))
    made.look("first")
    made.do("claim", text="first returns one", cites=["E1"], kind="finding", state="supported", author="tester")
    made.do("decide", text="leave it", cites=["C1", "E1"], kind="skip")
    return made


def _words(desk: Desk) -> list[str]:
    shown = desk.show()
    return [item["text"] for part in ("claims", "decisions") for item in shown[part]]


def test_eight_processes_that_add_at_once_lose_nothing(desk: Desk) -> None:
    """Every claim of every process is there, under a number of its own."""
    writers = [Child(WRITER, desk.root, f"writer{number}", 5) for number in range(8)]
    for writer in writers:
        writer.go()
    assert [writer.line() for writer in writers] == ["done"] * 8
    for writer in writers:
        writer.__exit__()
    claims = desk.show()["claims"]
    assert {item["text"] for item in claims[1:]} == {f"writer{a} {b}" for a in range(8) for b in range(5)}
    assert [item["id"] for item in claims] == [f"C{number}" for number in range(1, 42)]


@pytest.mark.parametrize("power", [None, "bytes", "names"])
def test_death_at_any_step_leaves_the_board_before_or_after(desk: Desk, power: str | None) -> None:
    """Killed, or without power, between any two calls that change the disk: whole, and the next writer goes on."""
    store = desk.path().parents[1]
    kept = store.with_name("kept")
    shutil.copytree(store, kept)
    ended = []
    with subprocess.Popen(
        [sys.executable, "-m", "support.faults", store, desk.root], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdin is not None
        assert process.stdout is not None
        for step in range(1, 30):
            request = {"action": "board", "die_at": step, "power": power}
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            done = json.loads(process.stdout.readline())
            words = [item.text for item in decode(desk.path().read_bytes(), "here").claims]
            ended.append((done["exit"], len(words)))
            assert words in (["first returns one"], ["first returns one", "written while dying"])
            if done["exit"] != KILLED:
                break
            board_file.change_board(Index.open(desk.root).store(), lambda board: board)
            assert not list(desk.path().parent.glob("*.tmp"))
            shutil.rmtree(store)
            shutil.copytree(kept, store)
        process.stdin.close()
    assert ended[-1] == (0, 2)
    # A rename whose directory was not flushed may be lost with the power.
    assert {length for code, length in ended if code == KILLED} == ({1} if power == "names" else {1, 2})


def test_files_are_private_and_nothing_else_is_left(desk: Desk) -> None:
    """0700 and 0600, and no temporary beside the board."""
    path = desk.path()
    assert (stat.S_IMODE(path.parent.stat().st_mode), stat.S_IMODE(path.stat().st_mode)) == (0o700, 0o600)
    assert [entry.name for entry in path.parent.iterdir()] == ["state.json"]


def test_upkeep_does_not_touch_it(desk: Desk) -> None:
    """Collection, compaction, repair and a rebuild leave the bytes as they are."""
    index, before = Index.open(desk.root), desk.path().read_bytes()
    (desk.root / "b.py").write_text("x = 1\n")
    index.sync(SyncOptions(workers=1, rebuild=True))
    maintain.compact(index, force=True)
    maintain.gc(index, apply=True)
    for segment in index.store().segments.iterdir():
        shutil.rmtree(segment)
    assert maintain.repair(index, dry_run=False).body["scope"] == "files"
    assert desk.path().read_bytes() == before
    assert desk.states() == {"E1": "current"}


def test_another_configuration_finds_the_same_board(desk: Desk) -> None:
    """A board is the root's: whichever store is in use, there is one, and going back does not bring an old one back."""
    first = desk.path()
    (desk.root / ".everdex.toml").write_text("[index]\nmax_file_size_bytes = 5000\n")
    assert _words(desk) == ["first returns one", "leave it"]
    assert first.exists()
    assert not desk.path().exists()
    desk.do("decide", text="second store")
    assert desk.path() != first
    assert not first.exists()
    (desk.root / ".everdex.toml").unlink()
    assert _words(desk) == ["first returns one", "leave it", "second store"]
    desk.do("drop", id="D2")
    assert first.exists()
    assert _words(desk) == ["first returns one", "leave it"]


def test_another_repository_has_its_own(desk: Desk, tmp_path: Path) -> None:
    """Nothing of one root's board is seen from another."""
    other = Desk(tree(tmp_path / "other", {"a.py": "x = 1\n"}, git=True))
    assert other.show()["claims"] == []


@pytest.mark.parametrize("damage", ["cut", "flipped", "empty", "not_json", "huge"])
def test_a_damaged_board_is_refused_by_name_and_kept(desk: Desk, damage: str) -> None:
    """Neither reading nor writing goes on from it or over it; reset puts it aside under a name that says so."""
    path = desk.path()
    whole = path.read_bytes()
    bad = {
        "cut": whole[:-40], "flipped": whole.replace(b"leave it", b"leave IT"), "empty": b"", "not_json": b"\xff{",
        "huge": b" " * (3 * limits.MAX_BOARD_BYTES),
    }[damage]  # fmt: skip
    path.write_bytes(bad)
    for action, given in (("show", {}), ("claim", {"text": "x"}), ("drop", {"id": "C1"})):
        with pytest.raises(Corrupt, match=r"state\.json") as caught:
            desk.do(action, **given)
        assert "board reset" in caught.value.hint
    assert path.read_bytes() == bad
    health = maintain.health(Index.open(desk.root), Reading()).body
    (check,) = [item for item in health["checks"] if item["code"] == "board"]
    assert (health["status"], check["status"], str(path) in check["message"]) == ("degraded", "fail", True)
    assert Index.open(desk.root).status().body["board"] == {"error": "corrupt"}
    (kept,) = desk.do("reset")["kept_as"]
    assert ".damaged-" in kept
    assert Path(kept).read_bytes() == bad
    assert desk.do("claim", text="anew")["touched"] == ["C1"]


def test_a_newer_board_is_refused_and_not_called_damaged(desk: Desk) -> None:
    """Another everdex wrote it: incompatible, exit code 13, untouched."""
    rewritten(desk.path(), schema_version=versions.ARTIFACTS["board"].max_readable + 1)
    with pytest.raises(Incompatible, match="board has schema version 2"):
        desk.show()


def test_reset_keeps_a_whole_board_too(desk: Desk) -> None:
    """Under a name that says what it was, byte for byte."""
    before = desk.path().read_bytes()
    answer = desk.do("reset")
    assert (answer["evidence"], answer["claims"], answer["counts"]["dropped"]) == ([], [], 0)
    (kept,) = answer["kept_as"]
    assert ".before-reset-" in kept
    assert Path(kept).read_bytes() == before


def test_a_board_that_came_back_is_put_aside_not_written_over(desk: Desk, tmp_path: Path) -> None:
    """A store that was restored from a backup may hold another board than the newest one."""
    backup = desk.path().read_bytes()
    desk.do("reset")
    for number in range(6):
        desk.do("claim", text=f"new {number}")
    newest = desk.path()
    (desk.root / ".everdex.toml").write_text("[index]\nmax_file_size_bytes = 5000\n")
    desk.show()
    desk.path().parent.mkdir()
    desk.path().write_bytes(backup)
    desk.do("claim", text="one more")
    assert len(desk.show()["claims"]) == 7
    assert not newest.exists()
    (aside,) = desk.path().parent.glob("state.json.other-*")
    assert aside.read_bytes() == backup


def test_dropping_is_recorded_and_numbers_are_not_given_again(desk: Desk) -> None:
    """Who dropped what and when stays; what cited it says so; the next item has a new number."""
    desk.do("drop", id="e1", author="cleaner", session="s9")
    (record,) = desk.show(everything=True)["dropped"]
    assert (record["id"], record["text"], record["dropped_by"], record["session"]) == ("E1", "first", "cleaner", "s9")
    assert desk.show()["dropped"] == []
    assert [desk.item(name)["rests_on_changed"] for name in ("C1", "D1")] == [["E1"], ["E1"]]
    assert desk.look("first") == ["E2"]
    with pytest.raises(UsageError, match="E1 was dropped at"):
        desk.do("claim", text="x", cites=["E1"])
    desk.do("update", id="C1", cites=["E2"])
    assert desk.item("C1")["rests_on_changed"] == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "claim", "text": "x" * (limits.MAX_BOARD_TEXT + 1)}, "2,001 characters"),
        ({"action": "claim", "text": "x", "cites": [f"E{n}" for n in range(1, 30)]}, "29 cited items"),
        ({"action": "add_evidence", "targets": ["a.py"] * 21}, "21 targets"),
    ],
)
def test_what_is_too_much_is_an_error_with_a_hint(desk: Desk, given: dict[str, object], said: str) -> None:
    """Nothing is cut silently."""
    with pytest.raises(LimitExceeded, match=said) as caught:
        desk.do(**given)  # type: ignore[arg-type]
    assert caught.value.hint
    assert desk.show()["revision"] == 3


def test_a_full_board_takes_no_more_until_something_is_dropped(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """By items and by bytes; health says so before anybody runs into it."""
    monkeypatch.setattr(limits, "MAX_BOARD_ITEMS", 4)
    desk.do("claim", text="the fourth")
    with pytest.raises(LimitExceeded, match="would have 5 items; at most 4") as caught:
        desk.do("claim", text="the fifth")
    assert "board drop" in caught.value.hint
    health = maintain.health(Index.open(desk.root), Reading()).body
    assert [item["status"] for item in health["checks"] if item["code"] == "board"] == ["warn"]
    desk.do("drop", id="C2")
    desk.do("claim", text="in its place")
    monkeypatch.setattr(limits, "MAX_BOARD_BYTES", 3_000)
    with pytest.raises(LimitExceeded, match="at most 3,000"):
        desk.do("update", id="C3", text="x" * 1_500)
    assert desk.item("C3")["text"] == "in its place"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"action": "dance"}, "unknown action"),
        ({"action": "claim"}, "claim needs text"),
        ({"action": "claim", "text": " \n"}, "the text is empty"),
        ({"action": "claim", "text": "a\0b"}, "NUL"),
        ({"action": "claim", "text": "\ud800"}, "not Unicode"),
        ({"action": "claim", "text": "x", "kind": "plan"}, "unknown kind"),
        ({"action": "claim", "text": "x", "state": "done"}, "unknown state"),
        ({"action": "claim", "text": "x", "cites": ["C1"]}, "C1 cannot be cited"),
        ({"action": "decide", "text": "x", "cites": ["D1"]}, "D1 cannot be cited"),
        ({"action": "claim", "text": "x", "cites": ["E7"]}, "there is no E7"),
        ({"action": "claim", "text": "x", "targets": ["a.py"]}, "claim takes no targets"),
        ({"action": "claim", "text": "x", "author": "y" * 101}, "author is longer"),
        ({"action": "update", "id": "C1"}, "nothing about C1"),
        ({"action": "update", "id": "E1", "state": "open"}, "evidence has no kind"),
        ({"action": "update", "id": "C1", "again": True}, "only evidence"),
        ({"action": "update", "id": "X1", "text": "x"}, "'X1' is no item"),
        ({"action": "drop", "id": "D9"}, "there is no D9"),
        ({"action": "show", "id": "C1"}, "show takes no id"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(desk: Desk, given: dict[str, object], said: str) -> None:
    """Each with a message that names it and a hint."""
    before = desk.path().read_bytes()
    with pytest.raises(UsageError, match=said) as caught:
        desk.do(**given)  # type: ignore[arg-type]
    assert caught.value.hint
    assert desk.path().read_bytes() == before


def test_stores_with_a_board_are_not_collected(desk: Desk) -> None:
    """An index is made again, notes are not: only --force deletes them."""
    name = Index.open(desk.root).store_id
    kept = maintain.gc_stores(None, apply=True, unused_days=0, force=False)["kept"]
    assert list(kept) == [{"store_id": name, "reason": "board"}]
    for item in ("E1", "C1", "D1"):
        desk.do("drop", id=item)
    assert maintain.gc_stores(None, apply=False, unused_days=0, force=False)["kept"] == ()
    assert maintain.gc_stores(None, apply=True, unused_days=0, force=True)["deleted"][0]["store_id"] == name


def test_the_board_is_in_no_fingerprint(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither writing on it nor a new version of it changes the store's name, the snapshot or its digest."""
    before = desk.show()
    desk.do("claim", text="x")
    monkeypatch.setitem(versions.ARTIFACTS, "board", versions.SchemaRange(1, 2, 2))
    after = desk.show()
    for name in ("store_id", "snapshot_id", "digest", "config_fingerprint", "ignore_fingerprint", "query_fingerprint"):
        assert before[name] == after[name]
