"""The picture of a board: everything on it has its place, and what changed can be seen."""

from __future__ import annotations

from pathlib import Path

from everdex.canvas.board.picture import board_scene
from everdex.canvas.scene import Curve, Ink, Label, Rectangle
from support.boards import Desk
from support.trees import tree


def test_every_item_has_a_card_and_every_citation_a_line(tmp_path: Path) -> None:
    """No two cards overlap, all lie on the sheet; lines and cards above changed evidence are in the ink of warnings."""
    desk = Desk(tree(tmp_path / "project", {"a.py": "def one():\n    return 1\n", "b.py": "x = 1\n"}))
    desk.look("one", "b.py")
    desk.do("claim", text="a " * 900, cites=["E1"])
    desk.do("claim", text="stands", cites=["E2"])
    desk.do("decide", text="go", cites=["C1", "E2"])
    desk.do("decide", text="stay", cites=["C2"], state="done")
    (desk.root / "a.py").write_text("def one():\n    return 2\n")
    shown = desk.show()
    scene = board_scene(shown)
    assert board_scene(shown) == scene
    cards = [shape for shape in scene.shapes if isinstance(shape, Rectangle)]
    assert len(cards) == 6
    for number, card in enumerate(cards):
        assert 0 <= card.x <= scene.width - card.width
        assert 0 <= card.y <= scene.height - card.height
        for other in cards[:number]:
            apart = card.x + card.width <= other.x or other.x + other.width <= card.x
            assert apart or card.y >= other.y + other.height or other.y >= card.y + card.height
    lines = [shape for shape in scene.shapes if isinstance(shape, Curve)]
    inks = {line.title: line.stroke for line in lines}
    assert inks == {
        "C1 on E1": Ink.WARNING, "C2 on E2": Ink.EDGE, "D1 on C1": Ink.WARNING, "D1 on E2": Ink.EDGE,
        "D2 on C2": Ink.EDGE,
    }  # fmt: skip
    warned = [card.title.split()[0] for card in cards if card.stroke == Ink.WARNING]
    assert warned == ["E1", "C1", "D1"]
    words = [shape.text for shape in scene.shapes if isinstance(shape, Label)]
    assert "rests on changed E1" in words
