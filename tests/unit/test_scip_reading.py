"""Reading SCIP: everything that an indexer may say, and nothing that a stranger may do with it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from everdex import limits
from everdex.errors import ScipInvalid
from everdex.semantic import scip
from everdex.semantic.protobuf import BLOCK, FIXED32, VARINT, block, number, tag, text, varint
from everdex.semantic.reading import Occurrence, ScipDocument, open_index, read_documents, read_metadata
from support.scips import document, index, metadata, occurrence, reference, symbol

_SOURCE = "run()\n"
_RUN = symbol("m/", "run().")
_GOOD = index(document("a.py", _SOURCE, [reference("run", _RUN)]), document("b.py", _SOURCE, [reference("run", _RUN)]))


def _read(tmp_path: Path, data: bytes) -> list[ScipDocument]:
    path = tmp_path / "index.scip"
    path.write_bytes(data)
    with open_index(path) as stream:
        read_metadata(stream)
        return list(read_documents(stream))


def test_documents_come_with_their_occurrences(tmp_path: Path) -> None:
    """Paths, ranges, symbols, roles and what is implemented come out as they were written."""
    base = symbol("m/", "Base#")
    said = document("a.py", _SOURCE, [reference("run", _RUN)], implements=[(_RUN, base)], encoding=scip.UTF16)
    (found,) = _read(tmp_path, index(said))
    assert found == ScipDocument("a.py", scip.UTF16, None, [Occurrence(0, 0, 0, 3, _RUN, 8)], [(_RUN, base)])


def test_metadata_says_who_made_it(tmp_path: Path) -> None:
    """Tool, version and root come first."""
    path = tmp_path / "index.scip"
    path.write_bytes(index(head=metadata("file:///x", "tool", "7")))
    with open_index(path) as stream:
        found = read_metadata(stream)
    assert (found.tool, found.tool_version, found.project_root) == ("tool", "7", "file:///x")


def test_ranges_may_have_four_numbers_large_ones_and_come_unpacked(tmp_path: Path) -> None:
    """Every form of a range that protocol buffers allow is read."""
    four = block(scip.OCCURRENCES, occurrence((300, 1, 301, 200), _RUN))
    loose = b"".join(varint(tag(scip.RANGE, VARINT)) + varint(value) for value in (1, 2, 3))
    unpacked = block(scip.OCCURRENCES, loose + text(scip.SYMBOL, _RUN))
    (found,) = _read(tmp_path, index(document("a.py", more=four + unpacked)))
    assert found.occurrences == [Occurrence(300, 1, 301, 200, _RUN, 0), Occurrence(1, 2, 1, 3, _RUN, 0)]


def test_roles_beyond_those_of_scip_are_passed_over(tmp_path: Path) -> None:
    """A number of seventy bits is no reason to fail later."""
    said = block(scip.OCCURRENCES, occurrence((0, 0, 3), _RUN, (1 << 69) + 8))
    (found,) = _read(tmp_path, index(document("a.py", more=said)))
    assert [item.roles for item in found.occurrences] == [8]


def test_fields_that_nobody_knows_are_passed_over(tmp_path: Path) -> None:
    """An index of a newer indexer is read as far as it is known."""
    new = number(99, 7) + block(98, b"x") + varint(tag(97, FIXED32)) + b"1234"
    inner = block(scip.OCCURRENCES, occurrence((0, 0, 3), _RUN) + new)
    (found,) = _read(tmp_path, index(document("a.py", more=new + inner)) + block(77, b"later"))
    assert len(found.occurrences) == 1


def test_local_symbols_and_what_is_no_symbol_are_passed_over(tmp_path: Path) -> None:
    """Only what others can see is kept."""
    said = [block(scip.OCCURRENCES, occurrence((0, 0, 3), name)) for name in ("local 3", "nonsense", "", "a b c d e")]
    (found,) = _read(tmp_path, index(document("a.py", more=b"".join(said))))
    assert found.occurrences == []


def test_a_name_that_is_too_long_is_none(tmp_path: Path) -> None:
    """Of a symbol longer than any tool writes nothing is kept; the others of its document are read."""
    longest = limits.MAX_SCIP_SYMBOL_BYTES - len(symbol("m/", "()."))
    just, beyond = (symbol("m/", f"{'n' * size}().") for size in (longest, longest + 1))
    (found,) = _read(tmp_path, index(document("a.py", _SOURCE, [reference("run", just), reference("run", beyond)])))
    assert [each.symbol for each in found.occurrences] == [just]


def test_a_cut_index_is_refused_or_ends_between_documents(tmp_path: Path) -> None:
    """At whatever byte it is cut: `ScipInvalid`, or whole documents only."""
    whole = _read(tmp_path, _GOOD)
    for end in range(1, len(_GOOD)):
        try:
            found = _read(tmp_path, _GOOD[:end])
        except ScipInvalid:
            continue
        assert found == whole[: len(found)]


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../a.py", "x/../../a.py", "./a.py", "x//a.py", "", "x\\a.py", "a\0b", "a/", "x" * 2000]
)
def test_a_document_outside_its_project_has_no_path(tmp_path: Path, path: str) -> None:
    """No absolute path, no way up, nothing that is not canonical can be looked up by anybody."""
    assert [found.path for found in _read(tmp_path, index(document("good.py"), document(path)))] == ["good.py", None]


@pytest.mark.parametrize(
    "inner",
    [
        block(scip.OCCURRENCES, occurrence((0, 0), _RUN)),  # too few numbers
        block(scip.OCCURRENCES, occurrence((0, 0, 1, 2, 3), _RUN)),  # too many
        # so many that to gather them takes hours: refused at the first that is one too many
        block(scip.OCCURRENCES, (varint(tag(scip.RANGE, VARINT)) + b"\1") * 5_000_000 + text(scip.SYMBOL, _RUN)),
        block(scip.OCCURRENCES, block(scip.RANGE, b"\1") * 5_000_000 + text(scip.SYMBOL, _RUN)),
        block(scip.OCCURRENCES, occurrence((0, 0, 3), _RUN)[:-1]),  # cut inside
        number(scip.RELATIVE_PATH, 5),  # a number for a path
        number(scip.OCCURRENCES, 5),
        block(scip.POSITION_ENCODING, b"x"),
        block(scip.OCCURRENCES, occurrence((0, 0, 3), _RUN) + block(scip.SYMBOL_ROLES, b"x")),
        varint(tag(scip.OCCURRENCES, BLOCK)) + varint(1 << 40) + b"x",  # longer than all there is
        varint(tag(5, 3)),  # a group, which SCIP never had
        b"\xff" * 11,  # a number without end
        block(scip.RELATIVE_PATH, b"\xff\xfe"),
        block(scip.OCCURRENCES, block(scip.RANGE, bytes(3)) + block(scip.SYMBOL, b"\xff")),
    ],
)  # fmt: skip
def test_damage_inside_a_document_is_refused(tmp_path: Path, inner: bytes) -> None:
    """Wrong kinds of fields, lengths and ranges are an error by name, never half an import."""
    with pytest.raises(ScipInvalid):
        _read(tmp_path, index(document("a.py", more=inner)))


def test_no_links_no_pipes_no_empty_files(tmp_path: Path) -> None:
    """What is opened is a regular file, and opening it never blocks."""
    (tmp_path / "real").write_bytes(_GOOD)
    os.symlink("real", tmp_path / "link")
    os.mkfifo(tmp_path / "pipe")
    for name in ("link", "pipe", "missing", "."):
        with pytest.raises(ScipInvalid), open_index(tmp_path / name):
            pass
    with pytest.raises(ScipInvalid, match="empty"):
        _read(tmp_path, b"")


def test_sizes_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file, each document and the number of occurrences have limits; a length is no reason to allocate."""
    monkeypatch.setattr(limits, "MAX_SCIP_OCCURRENCES", 1)
    with pytest.raises(ScipInvalid, match="occurrences"):
        _read(tmp_path, _GOOD)
    monkeypatch.setattr(limits, "MAX_FILES", 1)
    with pytest.raises(ScipInvalid, match="1 documents"):
        _read(tmp_path, index(document("a.py"), document("b.py")))
    monkeypatch.setattr(limits, "MAX_SCIP_DOCUMENT_OCCURRENCES", 0)
    for said in ({"said": [reference("run", _RUN)]}, {"implements": [(_RUN, _RUN)]}):
        with pytest.raises(ScipInvalid, match="0 occurrences"):
            _read(tmp_path, index(document("a.py", _SOURCE, **said)))
    monkeypatch.setattr(limits, "MAX_SCIP_DOCUMENT_BYTES", 10)
    with pytest.raises(ScipInvalid, match="at most 10"):
        _read(tmp_path, _GOOD)
    monkeypatch.setattr(limits, "MAX_SCIP_BYTES", 10)
    with pytest.raises(ScipInvalid, match="at most 10"):
        _read(tmp_path, _GOOD)


@given(st.binary(max_size=200), st.integers(0, len(_GOOD)))
def test_any_bytes_are_read_or_refused(tmp_path_factory: pytest.TempPathFactory, noise: bytes, at: int) -> None:
    """Whatever is spliced into an index, nothing but `ScipInvalid` comes of it."""
    directory = tmp_path_factory.getbasetemp()
    for data in (noise, _GOOD[:at] + noise + _GOOD[at:], _GOOD[:at] + noise + _GOOD[at + len(noise) :]):
        with suppress(ScipInvalid):
            _read(directory, data)


@pytest.mark.parametrize(
    ("name", "names", "suffix"),
    [
        ("scip-python python click 8 `click.core`/Context#invoke().", ("click.core", "Context", "invoke"), "()"),
        ("scip-typescript npm . . src/`a.ts`/A#`<constructor>`().", ("src", "a.ts", "A", "<constructor>"), "()"),
        ("rust-analyzer cargo serde 1.0 de/Deserialize#[T]", ("de", "Deserialize", "T"), "[]"),
        ("x . . . f().(argument)", ("f", "argument"), "("),
        ("x . . . m!", ("m",), "!"),
        ("x . . . `a``b`.", ("a`b",), "."),
        ("a  b c d e x/", ("x",), "/"),
    ],
)
def test_symbols_are_taken_apart(name: str, names: tuple[str, ...], suffix: str) -> None:
    """Every kind of descriptor, escaped names, and packages with blanks or without a name."""
    found = scip.parsed(name)
    assert found is not None
    assert (found.names, found.suffix) == (names, suffix)
