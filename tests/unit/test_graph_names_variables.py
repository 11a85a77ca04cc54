"""Assignments in the languages that are resolved by names: fields and globals are written, locals are nobody's."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from everdex.graph.names.resolver import RESOLVER
from support.names import MemoryWorld

_CASES = {
    "store.go": (
        "package store\n\nvar Limit = 1\n\ntype Box struct{ size int }\n\n"
        "func (b *Box) Grow(n int) {\n\tlocal := 1\n\tlocal = n\n\tb.size = local\n\tLimit++\n\tb.other.x = 1\n}\n",
        {(3, "store.Limit"), (10, "store.Box.size"), (11, "store.Limit"), (12, "?")},
    ),
    "Box.java": (
        "class Box {\n  static int limit = 1;\n  int size;\n  void grow(int n) {\n    int local = n;\n    local = 2;\n"
        "    this.size = local;\n    limit++;\n  }\n}\n",
        {(2, "Box.limit"), (7, "Box.size"), (8, "Box.limit")},
    ),
    "box.c": (
        "struct box { int size; };\nint limit = 1;\nvoid grow(struct box *b) {\n  int local = 1;\n  local = 2;\n"
        "  b->size = local;\n  limit = 2;\n  limit++;\n}\n",
        {(2, "limit"), (6, "box.size"), (7, "limit"), (8, "limit")},
    ),
    "box.rs": (
        "pub struct Box { size: u32 }\nstatic mut LIMIT: u32 = 1;\nimpl Box {\n  fn grow(&mut self) {\n"
        "    let mut local = 1;\n    local = 2;\n    self.size += local;\n    LIMIT = 3;\n  }\n}\n",
        {(2, "LIMIT"), (7, "Box.size"), (8, "LIMIT")},
    ),
    "Box.cs": (
        "class Box {\n  int size = 1;\n  void Grow(int n) {\n    var local = n;\n    local = 2;\n"
        "    this.size = local;\n    size++;\n  }\n}\n",
        {(2, "Box.size"), (6, "Box.size"), (7, "Box.size")},
    ),
    "Box.kt": (
        "class Box {\n  var size = 1\n  fun grow(n: Int) {\n    var local = n\n    local = 2\n"
        "    this.size = local\n  }\n}\n",
        {(2, "Box.size"), (6, "Box.size")},
    ),
    "box.php": (
        "<?php\nclass Box {\n  public $size = 1;\n  function grow($n) {\n    $local = $n;\n    $this->size = $local;\n"
        "    $this->size += 1;\n    self::$all = 1;\n  }\n  static $all;\n}\n",
        {(3, "Box.size"), (6, "Box.size"), (7, "Box.size"), (8, "Box.all")},
    ),
}  # fmt: skip


@pytest.mark.parametrize("path", _CASES)
def test_fields_and_globals_are_written_and_locals_are_not(path: str) -> None:
    """Each write has its target or says that it has none; a variable of a function is no site."""
    text, expected = _CASES[path]
    world = MemoryWorld({path: text.encode()})
    graph = RESOLVER.open(world).resolve(path)
    written = [site for site in graph.sites if site.role is Role.WRITE]
    found = {(site.line, site.targets[0].key if site.status is Status.RESOLVED else "?") for site in written}
    names = {(line, name.removeprefix("store.")) for line, name in expected}
    assert found == names
    assert all(site.reason for site in written if site.status is Status.UNRESOLVED)
