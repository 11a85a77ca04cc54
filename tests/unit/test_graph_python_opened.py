"""A step of an evaluation uses only files that it opened, or that its question names."""

from __future__ import annotations

import pytest

from everdex.graph.python import resolver
from fixtures.callgraph.python.harness import HERE, Case, MemoryWorld, cases, resolve
from support.strict import BorrowedError, StrictEngine

_SEVERAL = [case for where in (HERE, HERE / "ran") for case in cases(where) if len(case.files) > 1]


@pytest.mark.parametrize("case", _SEVERAL, ids=lambda case: case.name)
def test_no_step_uses_a_file_that_another_opened(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file is lent to one step; each case of the call graph with more than one file goes through."""
    monkeypatch.setattr(resolver, "Engine", StrictEngine)
    resolve(MemoryWorld(case.files))


def test_a_step_that_borrows_is_caught() -> None:
    """A file that was opened outside is used in a question that does not name it."""
    engine = StrictEngine(MemoryWorld({"a.py": b"a = 1\n", "b.py": b"b = 1\n"}), {}, resolver.Decoded())
    engine.begin("a.py")
    file = engine.file("b.py")
    assert engine.ask(("about", "b.py"), 1, lambda _: len(file.scopes), 0) == 1
    with pytest.raises(BorrowedError):
        engine.ask(("about", "a.py"), 1, lambda _: len(file.scopes), 0)
