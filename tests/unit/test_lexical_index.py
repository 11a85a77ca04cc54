"""lexical.bin: what is written is read back, in whatever batches it came, and damage is told, not suffered."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from msgspec.structs import fields, replace

from everdex.errors import Corrupt, EverdexError, Incompatible, InternalError
from everdex.numeric import np
from everdex.parse.model import Chunk, ParsedFile, ParseStatus
from everdex.segment import lexical_format, lexical_read, lexical_write
from everdex.segment.lexical_format import Section
from everdex.segment.lexical_read import LexicalReader
from everdex.segment.lexical_write import write_lexical
from everdex.terms.bags import BagExtractor
from everdex.terms.model import Field, TermBatch

WORDS = ["alpha", "betaGamma", "delta_epsilon", "zeta", "étage", "用户登录", "HTTPServer", "x" * 70, "theta", "iota"]


def batch_of(texts: list[str]) -> TermBatch:
    """Each text is a file of one chunk; a quarter of it is documentation."""
    files = []
    for number, text in enumerate(texts):
        data = text.encode()
        chunk = Chunk(0, "text", 0, len(data), 1, 1, "text", "", (f"crumb{number % 3}",), None, ())
        parsed = ParsedFile("text", ParseStatus.WINDOWS, (chunk,), (), ((0, len(data) // 4),))
        files.append((f"dir/file{number % 7}.txt", data, parsed))
    return BagExtractor().extract(files).terms


def texts(count: int, seed: int = 0) -> list[str]:
    chosen = random.Random(seed)
    return [" ".join(chosen.choices(WORDS, k=chosen.randint(1, 40))) for _ in range(count)]


def written(path: Path, *parts: TermBatch) -> LexicalReader:
    bases = np.cumsum([0, *(part.n_docs for part in parts)]).tolist()
    write_lexical(path, list(zip(bases, parts, strict=False)), bases[-1])
    return LexicalReader(path)


def postings(reader: LexicalReader, term: str) -> dict[int, dict[int, int]]:
    [found] = reader.lookup([term])
    return {field: dict(zip(docs.tolist(), tfs.tolist(), strict=True)) for field, (docs, tfs) in found.items()}


def same(left: TermBatch, right: TermBatch) -> bool:
    pairs = [(getattr(left, item.name), getattr(right, item.name)) for item in fields(TermBatch)]
    return all(np.array_equal(a, b) for a, b in pairs)


def test_every_posting_is_found(tmp_path: Path) -> None:
    """Lookup gives each term's documents and frequencies by field; an absent term gives nothing."""
    batch = batch_of(texts(50))
    reader = written(tmp_path / "lexical.bin", batch)
    expected: dict[str, dict[int, dict[int, int]]] = {}
    for term, field, doc, tf in zip(
        batch.posting_terms, batch.posting_fields, batch.posting_docs, batch.posting_tfs, strict=True
    ):
        expected.setdefault(batch.vocabulary[term], {}).setdefault(int(field), {})[int(doc)] = int(tf)
    assert len(expected) == reader.n_terms
    for term, by_field in expected.items():
        assert postings(reader, term) == by_field
    assert reader.lookup(["absent", "alpha", ""])[0] == {}
    assert np.array_equal(reader.lengths, batch.lengths)
    assert np.array_equal(reader.overlong, batch.overlong)
    assert batch.overlong.any()


def test_the_bytes_depend_on_the_rows_alone(tmp_path: Path) -> None:
    """One batch, many batches, or batches given out of order make the same file."""
    everything = texts(60)
    write_lexical(tmp_path / "one", [(0, batch_of(everything))], 60)
    # The batches must see the same paths as the whole, so each is cut out of it by the reader.
    whole = LexicalReader(tmp_path / "one")
    cuts = [(start, whole.read_batch(np.arange(start, min(start + 7, 60)))) for start in range(0, 60, 7)]
    write_lexical(tmp_path / "many", cuts, 60)
    write_lexical(tmp_path / "reversed", cuts[::-1], 60)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "many").read_bytes() == (tmp_path / "reversed").read_bytes()


def test_an_index_is_rewritten_without_its_sources(tmp_path: Path) -> None:
    """Reading back all documents gives the batch; reading some gives what a fresh index of them would have."""
    batch = batch_of(texts(40))
    reader = written(tmp_path / "all", batch)
    assert same(reader.read_batch(np.arange(40)), batch)
    keep = np.array([30, 2, 17, 9])
    rewritten = written(tmp_path / "some", reader.read_batch(keep))
    for term in batch.vocabulary:
        expected = {
            field: {new: docs[old] for new, old in enumerate(keep.tolist()) if old in docs}
            for field, docs in postings(reader, term).items()
        }
        assert postings(rewritten, term) == {field: docs for field, docs in expected.items() if docs}
    assert np.array_equal(rewritten.lengths, reader.lengths[keep])
    assert np.array_equal(rewritten.overlong, reader.overlong[keep])
    part = reader.read_batch(keep)
    places = list(zip(*(a.tolist() for a in (part.posting_terms, part.posting_fields, part.posting_docs)), strict=True))
    assert places == sorted(places)


def test_large_numbers_saturate(tmp_path: Path) -> None:
    """A frequency over 255 and a length over 65,535 are stored as the largest that fit."""
    reader = written(tmp_path / "lexical.bin", batch_of(["zeta " * 70_000]))
    assert postings(reader, "zeta")[Field.BODY] == {0: 255}
    assert reader.lengths[0, Field.BODY] == 52_500
    reader = written(tmp_path / "longer", batch_of(["zeta " * 100_000]))
    assert reader.lengths[0, Field.BODY] == 65_535


def test_more_than_65536_documents_fit(tmp_path: Path) -> None:
    """Document numbers beyond two bytes are stored and found."""
    small = batch_of(["alpha"])
    count = 65_536 + 3
    tiled = replace(
        small,
        n_docs=count,
        vocabulary=["alpha"],
        posting_terms=np.zeros(count, dtype=np.uint32),
        posting_fields=np.zeros(count, dtype=np.uint8),
        posting_docs=np.arange(count, dtype=np.uint32),
        posting_tfs=np.ones(count, dtype=np.uint16),
        lengths=np.ones((count, len(Field)), dtype=np.uint32),
        overlong=np.zeros(count, dtype=np.bool_),
    )
    docs, _ = written(tmp_path / "lexical.bin", tiled).lookup(["alpha"])[0][Field.BODY]
    assert docs.tolist() == list(range(count))


def test_an_empty_index_answers(tmp_path: Path) -> None:
    """A segment without documents or without terms can be opened and asked."""
    reader = written(tmp_path / "none")
    assert reader.lookup(["alpha"]) == [{}]
    assert reader.vocabulary_places(b"a")[0].tolist() == []
    assert reader.read_batch(np.arange(0)).n_docs == 0


def test_terms_are_found_by_substring(tmp_path: Path) -> None:
    """A scan names every term that holds the bytes, and their documents can be collected."""
    batch = batch_of(texts(50))
    reader = written(tmp_path / "lexical.bin", batch)
    for needle in ("et", "a", "户", "delta_eps", "nothing", "x" * 64):
        numbers = np.unique(reader.vocabulary_places(needle.encode())[0])
        found = {reader.term_bytes(number).decode() for number in numbers.tolist()}
        assert found == {term for term in batch.vocabulary if needle in term}
        expected = {
            doc
            for term in found
            for field, docs in postings(reader, term).items()
            if field in (Field.BODY, Field.DOC)
            for doc in docs
        }
        has = reader.postings_of(numbers, (Field.BODY, Field.DOC))
        assert set(np.flatnonzero(has).tolist()) == expected


def test_terms_with_one_hash_are_told_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A crafted hash collision costs a comparison, not a wrong answer."""
    for module in (lexical_read, lexical_write):
        monkeypatch.setattr(module, "hash_terms", lambda terms: np.full(len(terms), 7, dtype=np.uint64))
    batch = batch_of(texts(20))
    reader = written(tmp_path / "lexical.bin", batch)
    for number, term in enumerate(batch.vocabulary):
        wanted = set(batch.posting_docs[batch.posting_terms == number].tolist())
        assert {doc for docs in postings(reader, term).values() for doc in docs} == wanted
    assert reader.lookup(["absent"]) == [{}]
    cuts = [(start, reader.read_batch(np.arange(start, start + 5))) for start in (15, 0, 10, 5)]
    write_lexical(tmp_path / "again", cuts, 20)
    assert (tmp_path / "again").read_bytes() == (tmp_path / "lexical.bin").read_bytes()


@pytest.mark.parametrize("cut", [[], [(0, 3)], [(0, 3), (2, 3)], [(-1, 5)], [(3, 5)]])
def test_batches_must_cover_the_documents_once(tmp_path: Path, cut: list[tuple[int, int]]) -> None:
    """Documents that no batch holds, or two, are a bug and nothing is written."""
    with pytest.raises(InternalError):
        write_lexical(tmp_path / "lexical.bin", [(base, batch_of(texts(count))) for base, count in cut], 5)
    assert not (tmp_path / "lexical.bin").exists()


def test_foreign_and_newer_files_are_refused(tmp_path: Path) -> None:
    """Another kind of file is corrupt; a newer version is incompatible and named."""
    path = tmp_path / "lexical.bin"
    written(path, batch_of(texts(5)))
    content = path.read_bytes()
    for wrong in (b"", b"short", b"x" * 4_096, content[:100], content[:-1], content + b"\0"):
        path.write_bytes(wrong)
        with pytest.raises(Corrupt, match=r"lexical\.bin"):
            LexicalReader(path)
    path.write_bytes(content[:8] + (99).to_bytes(4, "little") + content[12:])
    with pytest.raises(Incompatible, match="99"):
        LexicalReader(path)
    with pytest.raises(Corrupt, match="absent"):
        LexicalReader(tmp_path / "absent")


def test_an_unknown_field_is_corrupt(tmp_path: Path) -> None:
    """A posting in a field that does not exist is told, not dropped."""
    path = tmp_path / "lexical.bin"
    written(path, batch_of(texts(5)))
    content = bytearray(path.read_bytes())
    entry = lexical_format.HEADER.size + Section.ENTRY_FIELDS * lexical_format.SECTION.size
    _, _, offset, _ = lexical_format.SECTION.unpack_from(content, entry)
    content[offset] = len(Field)
    path.write_bytes(content)
    reader = LexicalReader(path)
    with pytest.raises(Corrupt, match="field"):
        reader.lookup(["alpha"])


def test_no_damage_crashes_the_reader(tmp_path: Path) -> None:
    """With any byte changed to anything, every operation answers or raises a named error."""
    path = tmp_path / "lexical.bin"
    batch = batch_of(texts(12))
    written(path, batch)
    content = path.read_bytes()
    chosen = random.Random(3)
    places = [*range(400), *(chosen.randrange(len(content)) for _ in range(600))]
    raised = 0
    for place in places:
        damaged = bytearray(content)
        damaged[place] = chosen.choice([0, 0xFF, damaged[place] ^ 0x80, (damaged[place] + 1) & 0xFF])
        path.write_bytes(damaged)
        try:
            reader = LexicalReader(path)
            reader.lookup(batch.vocabulary)
            reader.postings_of(reader.vocabulary_places(b"a")[0])
            reader.read_batch(np.arange(reader.n_docs))
        except EverdexError:
            raised += 1
    assert raised > 100
