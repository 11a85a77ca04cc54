"""Symbol identity: what ids survive, what they tell apart, and by what two symbols are joined."""

from __future__ import annotations

import hashlib

from everdex.identity.symbols import (
    Join,
    SymbolRef,
    join,
    names_of,
    resolution,
    scoped_id,
    signature_key,
    symbol_key,
)


def sha1(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()


def _ids(*definitions: tuple[str, str, str], path: str = "a.py") -> list[str]:
    return [names.scoped_id for names in names_of(path, definitions)]


def test_keys_are_made_as_specified() -> None:
    """The strings other systems would compute from the same parts."""
    key = symbol_key("a.py", "function", "f")
    assert key == "sk:v1:" + sha1("repo|a.py|function|f")
    signed = signature_key("def f(a)")
    assert signed == "sig:v1:sha1:" + sha1("def f(a)")
    assert scoped_id(key, signed) == "sid:v1:sha1:" + sha1(f"{key}|{signed}|")
    assert scoped_id(key, None, "~2") == "sid:v1:sha1:" + sha1(f"{key}||~2")


def test_a_signature_is_compared_without_spacing() -> None:
    """Reformatting a parameter list changes no id (comments have gone before: tests/unit/test_parse_headers.py)."""
    assert signature_key("f(a,\n   b)") == signature_key(" f(a, b) ")
    assert signature_key("f(a)") != signature_key("f(b)")
    assert signature_key("  ") is None


def test_redefinitions_overloads_and_conditional_definitions_stay_apart() -> None:
    """One symbolKey for what has one name, one scopedId for each definition of it."""
    names = names_of("a.py", [("f", "function", "f(a)"), ("f~2", "function", "f(a)"), ("f~3", "function", "f(b)")])
    assert len({item.symbol_key for item in names}) == 1
    assert len({item.scoped_id for item in names}) == 3
    inner = names_of("a.py", [("f.g", "function", "g()"), ("f~2.g", "function", "g()")])
    assert len({item.scoped_id for item in inner}) == 2


def test_ids_survive_moves_inside_a_file() -> None:
    """Changing places changes an id only between twins that nothing else tells apart."""
    one = ("f", "function", "f(a)")
    other = ("C.m", "method", "m(self)")
    assert set(_ids(one, other)) == set(_ids(other, one))
    first, second = ("f", "function", "f(a)"), ("f~2", "function", "f(b)")
    moved = ("f", "function", "f(b)"), ("f~2", "function", "f(a)")
    assert set(_ids(first, second)) == set(_ids(*moved))


def test_another_file_kind_or_name_is_another_symbol() -> None:
    """Nothing collapses across scopes."""
    assert len({*_ids(("f", "function", "")), *_ids(("f", "class", "")), *_ids(("g.f", "function", "")),
                *_ids(("f", "function", ""), path="b.py")}) == 4  # fmt: skip


def test_the_fallback_policy() -> None:
    """A symbol's id is a tool's own, else ours: every definition has one of ours."""
    definitions = [("f", "function", "f(a)"), ("g", "function", "g()")]
    known, unknown = names_of("a.py", definitions, ["scip:x", ""])
    assert (known.symbol_id, known.ids) == ("scip:x", (known.scoped_id, "scip:x"))
    assert (unknown.symbol_id, unknown.ids) == (f"heur:{unknown.scoped_id}", (unknown.scoped_id,))


def _ref(key: str, scoped: str | None = None, identity: str | None = None) -> SymbolRef:
    return SymbolRef(key, identity, scoped)


def test_join_precedence() -> None:
    """IDENTITY §9.4: semantic ids decide first, then scoped ids; symbolKey only where overload sets are welcome."""
    assert join(_ref("k", "s", "scip:a"), _ref("x", "y", "scip:a")) is Join.SYMBOL_ID
    assert join(_ref("k", "s", "scip:a"), _ref("k", "s", "scip:b")) is None
    assert join(_ref("k", "s", "scip:a"), _ref("x", "s", "heur:s")) is Join.SCOPED_ID
    assert join(_ref("k", "s"), _ref("k", "t"), overload_sets=True) is None
    assert join(_ref("k"), _ref("k", "t")) is None
    assert join(_ref("k"), _ref("k", "t"), overload_sets=True) is Join.SYMBOL_KEY
    assert join(_ref("k"), _ref("l"), overload_sets=True) is None


def test_ambiguity_is_an_object_with_its_candidates() -> None:
    """Never a guess: a status, a reason, and who it could be."""
    assert resolution("ambiguous", [_ref("k", "s", "heur:s")], "two fit") == {
        "resolution": {
            "status": "ambiguous",
            "candidates": [{"symbolKey": "k", "scopedId": "s", "symbolId": "heur:s"}],
            "reason": "two fit",
        }
    }


def test_a_definition_without_a_twin_has_no_mark() -> None:
    """The first of its name and signature is called as the only one is."""
    (only,) = names_of("a.py", [("f", "function", "f(a)")])
    assert only.scoped_id == scoped_id(symbol_key("a.py", "function", "f"), signature_key("f(a)"))


def test_every_indexer_is_evidence_of_its_own_kind() -> None:
    """What a tool calls a symbol is told by its scheme."""
    for scheme in ("scip", "lsif", "lsp"):
        found = SymbolRef("sk:v1:x", symbol_id=f"{scheme}:x").to_dict()["evidence"]
        assert found == {"scheme": scheme, "confidence": "high"}
