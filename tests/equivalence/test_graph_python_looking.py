"""Whoever reads an expression of Python has noted where it stands."""

from __future__ import annotations

from typing import Final

from equivalence.looking import Reader, unnoted
from fixtures.callgraph.python.harness import HERE, cases

# What these read is told by what else they note.
_TOLD_OTHERWISE: Final[dict[Reader, str]] = {
    ("call_sites", "_filling.<locals>.<listcomp>"): "the calls' keys tell what they fill",
    ("forwarded", "_is_it"): "only what stands inside the function can be its parameter",
    ("forwarded", "_is_it.<locals>.<genexpr>"): "only what stands inside the function can be its parameter",
    ("marked", "_decorated"): "the kinds of what a class binds have a key",
    ("marked", "written.<locals>.<listcomp>"): "the kinds of what a class binds have a key",
    ("named_access", "_descriptors.<locals>.answer.<locals>.<listcomp>"): "the kinds of what a class binds have a key",
    ("metaclasses", "_put"): "only what stands inside `__new__` can be its parameter",
}


def test_what_is_read_is_noted() -> None:
    """In programs of many modules, but for what is told otherwise."""
    programs = [case.files for case in cases(HERE / "ran") if "_apps/" in case.name and len(case.files) > 9]
    assert len(programs) > 20
    found = unnoted(programs[2::11])
    assert {reader: count for reader, count in found.items() if reader not in _TOLD_OTHERWISE} == {}
    assert found  # somebody was watched
