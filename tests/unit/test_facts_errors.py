"""Calls in code that no grammar makes sense of: told as possible ones, never as certain, and never left out."""

from __future__ import annotations

import pytest

from everdex.graph.model import Role, Status
from support.names import graphs_of, sites_of

BROKEN = {
    "java": (
        "A.java", "class A {\n  static int used(int x) { return x; }\n}\n",
        "class B {\n  int run( ( { int other(int y) { // used(1)\n    return used(2) + y; }\n",
    ),
    "kotlin": (
        "a.kt", "fun used(x: Int) = x\n",
        "internal actual open class B\ninternal actual constructor(val data: Int) : Serial {\n"
        '  actual open fun other(): Int = used(2) // used(1)\n  val s = "used(3)"\n  fun B.ext(): Int = 1\n}\n',
    ),
    "csharp": (
        "A.cs", "class A { public static int used(int x) { return x; } }\n",
        "class B {\n  int run( ( { int other(int y) { /* used(1) */\n    return used(2) + y; }\n",
    ),
    "swift": (
        "a.swift", "func used(_ x: Int) -> Int { return x }\n",
        "class B {\n  func run( ( { func other(y: Int) -> Int { // used(1)\n    return used(2) + y }\n",
    ),
    "go": (
        "a.go", "package a\nfunc used(x int) int { return x }\n",
        "package a\nfunc run( ( { func other(y int) int { // used(1)\n\treturn used(2) + y }\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("language", BROKEN)
def test_a_call_in_broken_code_may_be_one(language: str) -> None:
    """Whoever asks who calls it is told of the place; comments, texts and the heads of definitions are no calls."""
    path, whole, broken = BROKEN[language]
    other = f"b/{path.replace('a.', 'b.').replace('A.', 'B.')}" if language != "go" else "b.go"
    graph = graphs_of({path: whole.encode(), other: broken.encode()})[other]
    assert graph.partial
    calls = [site for site in sites_of(graph, Role.CALL) if site.text.endswith("used")]
    assert [site.line for site in calls] == [3]
    if language in ("kotlin", "go"):  # the others' grammars find their way
        assert calls[0].status is not Status.RESOLVED
    assert not [site for site in sites_of(graph, Role.CALL) if site.text.endswith(("other", "ext"))]
