"""What the text of a tree says of a name before anything is resolved."""

from __future__ import annotations

from pathlib import Path

import pytest

from everdex.graph.text import texts
from everdex.graph.text.composed import files_composing
from everdex.graph.text.texts import Texts
from everdex.view import SnapshotView, open_view
from support.stores import synced


@pytest.mark.parametrize(
    ("text", "composes"),
    [
        ('f"visit_{kind}"', True),
        ("'visit_' + kind", True),
        ("`vi${kind}`", True),
        ('name.startswith("visit_")', True),
        ("name.startswith( 'visit_'", True),
        ('f"{kind}_node"', True),
        ('"%s_node" % kind', True),
        ("kind + 'ode'", True),
        ('"visit_"', False),
        ('"visit_node"', False),
        ("visit_ + kind", False),
        ('f"v{kind}"', False),
        ('f"{kind}de"', False),
        ('f"VISIT_{kind}"', False),
    ],
)
def test_texts_that_begin_or_end_like_a_name_may_become_it(tmp_path: Path, text: str, composes: bool) -> None:
    """A file with such a text that goes on with something else is looked at, any other is not."""
    made = synced(tmp_path / "tree", {"a.py": f"use({text})\n", "b.py": "visit_node = 1\n"})
    with open_view(made.store) as view:
        assert list(files_composing(view, "visit_node")) == ["a.py"] * composes


def test_a_question_that_is_worked_out_again_reads_the_text_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a common name most files have to be read to know who may put it together; they do not change meanwhile."""
    asked: list[str] = []

    def noted(view: SnapshotView, name: str) -> list[str]:
        asked.append(name)
        return list(files_composing(view, name))

    monkeypatch.setattr(texts, "files_composing", noted)
    made = synced(tmp_path / "tree", {"a.py": "use(f'visit_{kind}')\n", "b.py": "visit_node = 1\n"})
    with open_view(made.store) as view:
        known = Texts(view, frozenset(view.paths))
        assert known.using("visit_node") == known.using("visit_node") == {"a.py", "b.py"}
        assert known.using("visit") == frozenset()
    assert asked == ["visit_node", "visit"]
