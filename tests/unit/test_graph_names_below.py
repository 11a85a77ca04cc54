"""A call through what only declares a method leads to all that implements it, or to the declaration."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from support.names import graphs_of

# path, the interface, what has it, who calls it
_FILES = {
    "java": (
        "a/{}.java", "package a;\ninterface Face {{ void show(); }}\n",
        "package a;\nclass H{} implements Face {{ public void show() {{}} }}\n",
        "package a;\nclass Use {{ void use(Face face) {{ face.show(); }} }}\n",
    ),
    "csharp": (
        "{}.cs", "namespace A;\npublic interface Face {{ void show(); }}\n",
        "namespace A;\nclass H{} : Face {{ public void show() {{}} }}\n",
        "namespace A;\nclass Use {{ void use(Face face) {{ face.show(); }} }}\n",
    ),
    "kotlin": (
        "{}.kt", "package a\ninterface Face {{\n  fun show()\n}}\n",
        "package a\nclass H{} : Face {{\n  override fun show() {{}}\n}}\n",
        "package a\nclass Use {{\n  fun use(face: Face) {{\n    face.show()\n  }}\n}}\n",
    ),
    "php": (
        "{}.php", "<?php\nnamespace A;\ninterface Face {{ function show(); }}\n",
        "<?php\nnamespace A;\nclass H{} implements Face {{ function show() {{}} }}\n",
        "<?php\nnamespace A;\nclass UseIt {{ function use(Face $face) {{ $face->show(); }} }}\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", _FILES)
def test_as_many_implementations_as_are_followed_are_all_there(language: str) -> None:
    """The sixteenth is not cut off for the sake of the declaration."""
    path, face, heir, use = _FILES[language]
    files = {path.format(f"H{at}"): heir.format(at).encode() for at in range(16)}
    files |= {path.format("Face"): face.format().encode(), path.format("Use"): use.format().encode()}
    (site,) = [site for site in graphs_of(files)[path.format("Use")].sites if site.role is Role.CALL]
    assert site.status is Status.RESOLVED
    assert len(site.targets) == 17
