"""What an indexer says, in answers: places that were open are decided, and who says so is told."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from everdex.semantic import kept
from support.asked import asked
from support.graphs import Ask, asker
from support.scips import Said, definition, document, import_into, index, reference, symbol
from support.stores import Workspace, synced

_CORE = """class Engine:
    speed = 1

    def go(self):
        pass


class Fast(Engine):
    def go(self):
        pass


def make():
    return Engine()
"""
_APP = """def run(x):
    x.go()
    return x.speed


def other(y):
    y.stop()
"""
_ENGINE, _FAST = symbol("core/", "Engine#"), symbol("core/", "Fast#")
_GO, _FAST_GO = symbol("core/", "Engine#", "go()."), symbol("core/", "Fast#", "go().")
_SPEED, _MAKE = symbol("core/", "Engine#", "speed."), symbol("core/", "make().")
_CORE_SAID: Sequence[Said] = (
    definition("Engine", _ENGINE), definition("speed", _SPEED), definition("go", _GO), definition("Fast", _FAST),
    definition("go", _FAST_GO, 1), definition("make", _MAKE),
)  # fmt: skip


@pytest.fixture
def made(tmp_path: Path) -> Workspace:
    return synced(tmp_path / "tree", {"core.py": _CORE, "app.py": _APP})


def _say(made: Workspace, *app: Said, source: str = _APP, core: bytes | None = None) -> None:
    import_into(made, index(core or document("core.py", _CORE, _CORE_SAID), document("app.py", source, app)))


def _calls(ask: Ask, name: str) -> list[tuple[str, str, str]]:
    """Every callee of a definition: name, certainty, layer."""
    found = ask("callees", name)
    inside = [(each["qualified_name"], each["certainty"], each["layer"]) for each in found["callees"]]
    outside = [(each["name"], each["certainty"], each["layer"]) for each in found["external"]]
    return [*inside, *outside, *(("?", each["certainty"], each["layer"]) for each in found["unresolved"])]


def test_a_place_that_was_open_is_decided(made: Workspace) -> None:
    """An untyped receiver's call leads where the indexer says, by its layer, and no longer to the other candidate."""
    ask = asker(made)
    for name in ("Engine.go", "Fast.go"):
        assert [each["certainty"] for each in ask("callers", name)["callers"]] == ["ambiguous"]
    _say(made, reference("go", _GO))
    after = ask("callers", "Engine.go")
    (caller,) = after["callers"]
    assert (caller["qualified_name"], caller["certainty"], caller["layer"]) == ("app.run", "resolved", "semantic")
    assert [(site["layer"], site["named"]) for site in caller["sites"]] == [("semantic", "x.go")]
    assert after["coverage"]["semantic"] == 2
    assert ask("callers", "Fast.go")["callers"] == []


def test_a_call_that_is_decided_is_one_place(made: Workspace) -> None:
    """Nothing was known of it, and now it is a call: it is not told a second time as a name."""
    _say(made, reference("stop", _GO))
    found = asker(made)("refs", "Engine.go")["references"]
    assert [place["role"] for place in found if (place["path"], place["line"]) == ("app.py", 7)] == ["call"]


def test_a_write_that_was_open_is_decided(tmp_path: Path) -> None:
    """What a place writes may be a variable, which a call may not lead to."""
    app = "def run(x):\n    x.speed = 2\n"
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app})
    _say(made, reference("speed", _SPEED), source=app)
    found = [place for place in asker(made)("refs", "Engine.speed")["references"] if place["path"] == "app.py"]
    assert [(place["role"], place["certainty"], place["layer"]) for place in found] == [
        ("write", "resolved", "semantic")
    ]


def test_what_an_indexer_made_up_is_not_what_stands_there(made: Workspace) -> None:
    """A symbol of another name is placed at a definition: who refers to it refers to nothing that is known here."""
    made_up = symbol("core/", "Engine#", "`<metaclass>`().")
    core = document("core.py", _CORE, (*_CORE_SAID, definition("Engine", made_up)))
    _say(made, reference("stop", made_up), core=core)
    assert _calls(asker(made), "other") == [("?", "unresolved", "syntactic")]


def test_what_is_decided_could_add_nothing(tmp_path: Path) -> None:
    """A call that nobody could decide counts for every definition of its name, until an indexer decides it."""
    core = "def stop():\n    pass\n\n\nclass Car:\n    def stop(self):\n        pass\n"
    source = "import cars\n\n\ndef run():\n    cars.any().stop()\n"
    made = synced(tmp_path / "tree", {"core.py": core, "app.py": source})
    ask = asker(made)
    before = ask("callers", "Car.stop")["could_add"]
    stop = symbol("core/", "stop().")
    import_into(made, index(
        document("core.py", core, [definition("stop", stop)]), document("app.py", source, [reference("stop", stop)])
    ))  # fmt: skip
    after = ask("callers", "Car.stop")["could_add"]
    assert before["unresolved"] + before["ambiguous"] + before["external"] == 1
    assert after["unresolved"] + after["ambiguous"] + after["external"] == 0


def test_places_without_a_word_stay_as_they_are(made: Workspace) -> None:
    """What the indexer does not mention is answered from the text."""
    _say(made, reference("go", _GO))
    assert _calls(asker(made), "other") == [("?", "unresolved", "syntactic")]
    assert _calls(asker(made), "make") == [("core.Engine", "resolved", "syntactic")]


def test_what_is_not_indexed_is_outside_with_its_package(made: Workspace) -> None:
    """A symbol without a definition is external, by its package's name."""
    _say(made, reference("stop", symbol("mod/", "Car#", "stop().", package="cars")))
    assert _calls(asker(made), "other") == [("cars.Car.stop", "external", "semantic")]


def test_a_package_of_the_tree_is_not_outside(made: Workspace) -> None:
    """What is called after a package that is indexed here is only not found: nothing is said of it."""
    _say(made, reference("stop", symbol("elsewhere/", "stop().")))
    assert _calls(asker(made), "other") == [("?", "unresolved", "syntactic")]


def test_the_indexer_wins_and_the_difference_is_counted(tmp_path: Path) -> None:
    """Text says one definition, the indexer another: its word counts, and who asks for the first is told."""
    app = "from core import make\n\ndef run():\n    make()\n"
    other = "def make():\n    pass\n"
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app, "other.py": other})
    elsewhere = symbol("other/", "make().")
    import_into(made, index(
        document("core.py", _CORE, _CORE_SAID), document("other.py", other, [definition("make", elsewhere)]),
        document("app.py", app, [reference("make", elsewhere, 1)]),
    ))  # fmt: skip
    ask = asker(made)
    assert _calls(ask, "run") == [("other.make", "resolved", "semantic")]
    found = ask("callers", "core.make")
    assert (found["callers"], found["could_add"]["ambiguous"]) == ([], 1)
    assert found["coverage"]["disagreements"] == 1


def test_what_is_found_here_is_not_outside(tmp_path: Path) -> None:
    """The indexer knows of no definition, the text does: the text is believed, and the difference counted."""
    app = "from core import make\n\ndef run():\n    make()\n"
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app})
    _say(made, reference("make", symbol("builtins/", "make().", package="lib"), 1), source=app)
    ask = asker(made)
    assert _calls(ask, "run") == [("core.make", "resolved", "syntactic")]
    assert ask("callers", "make")["coverage"]["disagreements"] == 1


def test_fields_and_types_become_references(made: Workspace) -> None:
    """A read of which nobody knew the owner is a place that names the field, from what is around it."""
    ask = asker(made)
    before = ask("refs", "Engine.speed")
    _say(made, reference("speed", _SPEED))
    after = ask("refs", "Engine.speed")
    (new,) = [place for place in after["references"] if place["path"] == "app.py"]
    assert (new["role"], new["line"], new["layer"], new["named"]) == ("read", 3, "semantic", "speed")
    assert new["source"]["qualifiedName"] == "app.run"
    assert after["total"] == before["total"] + 1


def test_a_constructed_class_runs_its_constructor(tmp_path: Path) -> None:
    """The indexer names the class; the call leads to __init__, and refers to the class."""
    core = "class Engine:\n    def __init__(self):\n        pass\n"
    app = "def run(make):\n    make.Engine()\n"
    made = synced(tmp_path / "tree", {"core.py": core, "app.py": app})
    known = document("core.py", core, [definition("Engine", _ENGINE)])
    _say(made, reference("Engine", _ENGINE), source=app, core=known)
    ask = asker(made)
    assert _calls(ask, "run") == [("core.Engine.__init__", "resolved", "semantic")]
    assert [each["qualified_name"] for each in ask("callers", "Engine")["callers"]] == ["app.run"]


def test_a_call_of_a_variable_stays_open(tmp_path: Path) -> None:
    """The indexer knows the variable, not what it holds: the call is undecided, the name is a reference."""
    app = "hook = None\n\ndef run():\n    hook()\n"
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app})
    hook = symbol("app/", "hook.")
    _say(made, definition("hook", hook), reference("hook", hook, 1), source=app)
    ask = asker(made)
    assert all(name != "app.hook" for name, *_ in _calls(ask, "run"))
    assert any(place["line"] == 4 for place in ask("refs", "app.py::hook")["references"])


def test_overloads_mean_what_implements_them(tmp_path: Path) -> None:
    """An indexer names the first signature; calls lead to the body, as they do by the text, and nothing disagrees."""
    core = (
        "from typing import overload\n\n\n@overload\ndef load(x: int) -> int: ...\n@overload\n"
        "def load(x: str) -> str: ...\ndef load(x):\n    return x\n"
    )
    app = "from core import load\n\ndef run():\n    load(1)\n"
    made = synced(tmp_path / "tree", {"core.py": core, "app.py": app})
    load = symbol("core/", "load().")
    _say(made, reference("load", load, 1), source=app, core=document("core.py", core, [definition("load", load, 2)]))

    answer = asker(made)("callers", "load")
    assert [each["layer"] for each in answer["callers"]] == ["semantic"]
    assert answer["coverage"]["disagreements"] == 0


def test_getter_and_setter_are_one_name(tmp_path: Path) -> None:
    """The indexer has one symbol, at the getter; the write that runs the setter does not contradict it."""
    core = (
        "class Engine:\n    @property\n    def speed(self):\n        return 1\n\n    @speed.setter\n"
        "    def speed(self, value):\n        pass\n"
    )
    app = "from core import Engine\n\n\ndef run():\n    engine = Engine()\n    engine.speed = 2\n"
    made = synced(tmp_path / "tree", {"core.py": core, "app.py": app})
    known = document("core.py", core, [definition("speed", _SPEED)])
    _say(made, reference("speed", _SPEED), source=app, core=known)
    ask = asker(made)
    assert ("core.Engine.speed", "resolved", "semantic") in _calls(ask, "run")
    assert ask("callers", "run")["coverage"]["disagreements"] == 0


def test_a_name_that_is_not_written_there_is_not_believed(tmp_path: Path) -> None:
    """The text's definition is called as it is written, the indexer's is not: the text's, and a disagreement."""
    core = "class Engine:\n    def __init__(self):\n        self.speed = 1\n\n    def go(self): return self.speed\n"
    made = synced(tmp_path / "tree", {"core.py": core})
    import_into(made, index(document("core.py", core, [definition("Engine", _ENGINE), reference("speed", _ENGINE, 1)])))
    found = asker(made)("refs", "Engine.speed")
    assert ("read", "syntactic") in _roles(found)
    assert found["coverage"]["disagreements"] == 1


def test_what_runs_in_place_of_what_is_named_stays(tmp_path: Path) -> None:
    """The text found the method of the subclass that is called, the indexer the declared one: no disagreement."""
    app = "from core import Fast\n\ndef run():\n    Fast().go()\n"
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app})
    _say(made, reference("go", _GO), source=app)
    ask = asker(made)
    assert ("core.Fast.go", "resolved", "syntactic") in _calls(ask, "run")
    assert ask("callers", "Fast.go")["coverage"]["disagreements"] == 0
    assert [each["qualified_name"] for each in ask("callers", "Engine.go")["callers"]] == ["app.run"]


def test_what_may_also_be_outside_contradicts_nothing(tmp_path: Path) -> None:
    """A value is one of ours or a library's: ours replaces what the indexer names, and that is enough."""
    app = (
        "from cars import Car\nfrom core import Fast\n\n\ndef run(flag):\n"
        "    found = Fast() if flag else Car()\n    found.go()\n"
    )
    made = synced(tmp_path / "tree", {"core.py": _CORE, "app.py": app})
    _say(made, reference("go", _GO), source=app)
    ask = asker(made)
    assert ("core.Fast.go", "resolved", "syntactic") in _calls(ask, "run")
    assert ask("callers", "run")["coverage"]["disagreements"] == 0


def test_implementations_override(tmp_path: Path) -> None:
    """What a method or class implements is an edge, where the text does not say so."""
    core = "class Base:\n    def go(self):\n        pass\n\n\nclass Duck:\n    def go(self):\n        pass\n"
    made = synced(tmp_path / "tree", {"core.py": core})
    base, duck = symbol("core/", "Base#"), symbol("core/", "Duck#")
    base_go, duck_go = symbol("core/", "Base#", "go()."), symbol("core/", "Duck#", "go().")
    said = [definition("Base", base), definition("go", base_go), definition("Duck", duck), definition("go", duck_go, 1)]
    import_into(made, index(document("core.py", core, said, implements=[(duck, base), (duck_go, base_go)])))
    ask = asker(made)
    assert _roles(ask("refs", "Base.go")) == [("override", "semantic")]
    assert _roles(ask("refs", "Base")) == [("inherit", "semantic")]


def _roles(answer: dict[str, Any]) -> list[tuple[str, str]]:
    return [(place["role"], place["layer"]) for place in answer["references"]]


def test_symbols_carry_the_indexers_name(made: Workspace) -> None:
    """The preferred symbolId is the tool's, with its evidence, and finds the definition again."""
    _say(made, reference("go", _GO))
    ask = asker(made)
    found = ask("refs", "Engine.go")["symbol"]["symbol"]
    assert found["symbolId"] == f"scip:{_GO}"
    assert found["evidence"] == {"scheme": "scip", "confidence": "high"}
    assert ask("refs", f"scip:{_GO}")["symbol"]["qualified_name"] == "core.Engine.go"
    assert ask("refs", found["scopedId"])["symbol"]["qualified_name"] == "core.Engine.go"
    assert ask("refs", "app.py::run")["symbol"]["symbol"]["evidence"]["scheme"] == "heuristic-v1"


def test_nothing_is_said_of_bytes_that_changed(made: Workspace) -> None:
    """The file that is referred to is edited: the place is open again until somebody indexes it."""
    _say(made, reference("go", _GO))
    ask = asker(made)
    assert _calls(ask, "run") == [("core.Engine.go", "resolved", "semantic")]
    made.write({"core.py": _CORE + "\n\ndef more():\n    pass\n"})
    assert _calls(ask, "run") == [
        ("core.Engine.go", "ambiguous", "syntactic"), ("core.Fast.go", "ambiguous", "syntactic")
    ]  # fmt: skip
    made.write({"core.py": _CORE})
    assert _calls(ask, "run") == [("core.Engine.go", "resolved", "semantic")]


def test_what_was_imported_can_be_forgotten(made: Workspace) -> None:
    """Without its facts the answer is that of the text again."""
    ask = asker(made)
    before = ask("callers", "Engine.go")
    _say(made, reference("go", _GO))
    kept.facts_path(made.store, "test").unlink()
    after = ask("callers", "Engine.go")
    assert (after["callers"], after["could_add"]) == (before["callers"], before["could_add"])


def test_a_file_is_certain_where_its_calls_are(made: Workspace) -> None:
    """What was ambiguous for its open calls is certain once an indexer decided them."""
    from everdex.service.index import Index

    def certainty() -> str:
        asker(made)("callers", "run")
        found = asked(Index.open(made.path), "states", ("app.py",), None)
        return str(found["files"][0]["certainty"])

    assert certainty() == "ambiguous"
    _say(made, reference("go", _GO), reference("stop", _FAST_GO))
    assert certainty() == "certain"


def test_the_export_says_who_says_so(made: Workspace) -> None:
    """Every edge that leaves the system has its layer."""
    from support.commands import everdex

    _say(made, reference("go", _GO))
    edges = everdex("graph", "export", made.path, "--format", "json").json["edges"]
    calls = [edge["layer"] for edge in edges if edge["kind"] == "calls" and edge["to"] == f"scip:{_GO}"]
    assert calls == ["semantic"]
    assert {edge["layer"] for edge in edges if edge["kind"] == "contains"} == {"syntactic"}


def test_pictures_are_drawn_again(made: Workspace) -> None:
    """The same tree, and more is known of it: what was drawn before is not shown as if it were current."""
    ask = asker(made)
    assert ask("architecture", picture="kept")["canvas"]["drawn"]
    assert not ask("architecture", picture="kept")["canvas"]["drawn"]
    _say(made, reference("go", _GO))
    assert ask("architecture", picture="kept")["canvas"]["drawn"]


def test_a_rename_takes_what_only_the_indexer_knows(tmp_path: Path) -> None:
    """Places by the name are edited, an alias is not: it is another name."""
    app = "from core import make as build\n\n\ndef run(x):\n    build()\n    x.make()\n"
    made = synced(tmp_path / "tree", {"core.py": "def make():\n    pass\n", "app.py": app})
    core = document("core.py", "def make():\n    pass\n", [definition("make", _MAKE)])
    said = (reference("make", _MAKE), reference("build", _MAKE, 1), reference("make", _MAKE, 1))
    _say(made, *said, source=app, core=core)
    plan = asker(made)("rename", "make", new="construct")
    places = sorted((edit["path"], edit["line"]) for edit in plan["edits"])
    assert places == [("app.py", 1), ("app.py", 6), ("core.py", 1)]
