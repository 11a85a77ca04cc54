"""Names of chunks: what they survive, what changes them, and how equal ones are told apart (IDENTITY §3.3, §4, §9)."""

from __future__ import annotations

import hashlib
import json
import random
import struct
from collections import Counter
from pathlib import Path

import msgspec
import pytest
import xxhash

from everdex import versions
from everdex.config import IndexConfig
from everdex.identity.chunks import ChunkIdentity, identify, payload
from everdex.parse import ParsedFile, parse_file
from everdex.upkeep.housekeeping import compact_now
from everdex.view import open_view
from support.commands import everdex
from support.stores import synced

_CONFIG = IndexConfig()
_CONTEXT = 64


def _function(name: str, lines: int = 14) -> str:
    return f"def {name}():\n" + "".join(f"    {name}_{number} = {number}\n" for number in range(lines)) + "\n\n"


def _named(text: str, path: str = "src/short.py") -> tuple[ParsedFile, tuple[ChunkIdentity, ...]]:
    data = text.encode()
    parsed = parse_file(path, data, _CONFIG)
    return parsed, identify(path, data, parsed)


def _by_text(text: str, path: str = "src/short.py") -> dict[str, ChunkIdentity]:
    parsed, identities = _named(text, path)
    return {
        text.encode()[chunk.start_byte : chunk.end_byte].decode(): identity
        for chunk, identity in zip(parsed.chunks, identities, strict=True)
    }


SHORT = _function("alpha") + _function("beta") + _function("gamma")


def test_uids_stay_when_text_is_inserted_above() -> None:
    """§9 test 1: spans that only moved, with the 64 bytes around them as they were, keep their uid."""
    before, after = _by_text(SHORT), _by_text(_function("inserted") + SHORT)
    beta, gamma = _function("beta"), _function("gamma")
    assert {beta, gamma} <= before.keys() & after.keys()
    for moved in (beta, gamma):
        assert after[moved].uid == before[moved].uid
        assert after[moved].range_id != before[moved].range_id


def test_lines_inserted_inside_a_neighbour_beyond_the_window_change_nothing() -> None:
    """An edit in the neighbour that stays 64 bytes away is invisible to a uid."""
    edited = SHORT.replace("    alpha_0 = 0\n", "    alpha_0 = 0\n    # a remark\n")
    before, after = _by_text(SHORT), _by_text(edited)
    for text in (_function("beta"), _function("gamma")):
        assert after[text].uid == before[text].uid


def test_an_edit_next_door_changes_the_uid_and_span_hash_finds_the_chunk_again() -> None:
    """Within the window the neighbour is part of the name; spanHash alone then joins old and new."""
    edited = SHORT.replace("    alpha_13 = 13\n", "    alpha_13 = 14\n")
    before, after = _by_text(SHORT), _by_text(edited)
    beta = _function("beta")
    assert after[beta].uid != before[beta].uid
    assert after[beta].pre_hash != before[beta].pre_hash
    assert after[beta].post_hash == before[beta].post_hash
    joined = [identity for identity in after.values() if identity.span_hash == before[beta].span_hash]
    assert joined == [after[beta]]


def test_the_first_chunk_of_a_short_file_has_no_padding_before_it() -> None:
    """At the edge of a file the window is what there is: text put above the first chunk is next to it."""
    before, after = _by_text(SHORT), _by_text(_function("inserted") + SHORT)
    alpha = _function("alpha")
    assert before[alpha].pre_hash == xxhash.xxh64_hexdigest(b"")
    assert after[alpha].uid != before[alpha].uid
    assert after[alpha].span_hash == before[alpha].span_hash


def test_a_uid_is_the_documented_hash() -> None:
    """cu:v1 exactly as IDENTITY §3.3.1 writes it, in bytes."""
    data = SHORT.encode()
    parsed, identities = _named(SHORT)
    for chunk, identity in zip(parsed.chunks, identities, strict=True):
        span = xxhash.xxh64_hexdigest(data[chunk.start_byte : chunk.end_byte])
        pre = xxhash.xxh64_hexdigest(data[max(0, chunk.start_byte - _CONTEXT) : chunk.start_byte])
        post = xxhash.xxh64_hexdigest(data[chunk.end_byte : chunk.end_byte + _CONTEXT])
        raw = f"src/short.py\0\0{span}\0{pre}\0{post}"
        assert identity.uid == "cu:v1:xxh64:" + xxhash.xxh64_hexdigest(raw.encode())


def _repeated(count: int) -> str:
    """`count` equal functions far from the edges of equal neighbours."""
    same = _function("same")
    return _function("above") + same * count + _function("below")


def test_equal_spans_in_equal_context_are_told_apart_by_place() -> None:
    """§9 test 2: the first keeps the uid, the others are :c1, :c2, … and name what they collided with."""
    data = _repeated(5).encode()
    parsed, identities = _named(_repeated(5))
    assert len(parsed.chunks) == 7
    # The outermost of the five see `above` and `below`; the three between are equal in span and context.
    first, second, third = identities[2:5]
    assert len({(item.span_hash, item.pre_hash, item.post_hash) for item in (first, second, third)}) == 1
    assert first.collision_of is None
    assert (second.uid, second.collision_of) == (f"{first.uid}:c1", first.uid)
    assert (third.uid, third.collision_of) == (f"{first.uid}:c2", first.uid)
    assert {identity.uid: 1 for identity in identities} == dict(Counter(identity.uid for identity in identities))
    assert identify("src/short.py", data, parsed) == identities


def test_collisions_do_not_depend_on_the_order_of_chunks() -> None:
    """Who keeps the uid is decided by start, end, kind and name, not by who comes first in a list."""
    data = _repeated(5).encode()
    parsed, identities = _named(_repeated(5))
    expected = {chunk.start_byte: identity.uid for chunk, identity in zip(parsed.chunks, identities, strict=True)}
    chunks = list(parsed.chunks)
    random.Random(1).shuffle(chunks)
    shuffled = msgspec.structs.replace(parsed, chunks=tuple(chunks))
    again = identify("src/short.py", data, shuffled)
    assert {chunk.start_byte: identity.uid for chunk, identity in zip(chunks, again, strict=True)} == expected


def test_equal_spans_in_two_files_or_segments_do_not_collide() -> None:
    """The scope of a collision is one file and one segment: path and segment are in the hash."""
    here, there = _by_text(SHORT, "a.py"), _by_text(SHORT, "b.py")
    assert {item.uid for item in here.values()}.isdisjoint(item.uid for item in there.values())
    fence = "```python\n" + _function("same") + "```\n"
    document = "# Title\n\n" + ("Some words that are the same around every block of code.\n\n" * 2 + fence) * 3
    parsed, identities = _named(document, "guide.md")
    fenced = [item for chunk, item in zip(parsed.chunks, identities, strict=True) if chunk.segment_id]
    assert len(fenced) == 3
    assert len({item.uid for item in fenced}) == 3
    assert all(item.collision_of is None for item in fenced)


def test_chunk_id_has_no_path_and_row_id_has() -> None:
    """STORE: chunk_id names content, row_id content in its place."""
    (parsed, here), (_, there) = _named(SHORT, "a.py"), _named(SHORT, "dir/b.py")
    assert [item.chunk_id for item in here] == [item.chunk_id for item in there]
    assert {item.row_id for item in here}.isdisjoint(item.row_id for item in there)
    for chunk, item in zip(parsed.chunks, here, strict=True):
        chunk_hash = hashlib.sha256(payload(chunk, SHORT.encode())).digest()
        chunk_id = hashlib.sha256(chunk_hash + versions.CHUNKER_VERSION.encode() + chunk.kind.encode()).digest()
        assert (item.chunk_hash, item.chunk_id) == (chunk_hash, chunk_id)
        place = b"a.py" + chunk_id.hex().encode() + struct.pack("<I", chunk.ordinal)
        assert item.row_id == hashlib.sha256(place).digest()


def test_a_rename_keeps_chunk_ids_and_changes_uids(tmp_path: Path) -> None:
    """A moved file has the same content by another name: vectors can be reused, places cannot."""
    made = synced(tmp_path / "tree", {"old.py": SHORT})

    def rows() -> list[tuple[str, str, str]]:
        with open_view(made.store) as view:
            found = [document.row for path in view.paths for document in view.documents_of(path)]
            return [(row.chunk_id, row.row_id, row.chunk_uid) for row in found]

    before = rows()
    (made.path / "old.py").rename(made.path / "new.py")
    assert made.sync().renamed == 1
    after = rows()
    assert [chunk_id for chunk_id, _, _ in after] == [chunk_id for chunk_id, _, _ in before]
    for column in (1, 2):
        assert {row[column] for row in before}.isdisjoint(row[column] for row in after)


def test_collisions_survive_storing_and_compaction(tmp_path: Path) -> None:
    """Rows read back carry the uid, its parts and collisionOf as they were computed."""
    made = synced(tmp_path / "tree", {"same.py": _repeated(5), "zz.py": SHORT})
    expected = [
        (item.uid, item.collision_of, item.span_hash, item.pre_hash, item.post_hash, item.range_id, item.row_id.hex())
        for item in _named(_repeated(5), "same.py")[1]
    ]
    made.write({"zz.py": SHORT + "\n"})
    made.sync(auto_compact=False)
    for _ in range(2):
        with open_view(made.store) as view:
            rows = [document.row for document in view.documents_of("same.py")]
        assert [
            (row.chunk_uid, row.collision_of, row.span_hash, row.pre_hash, row.post_hash, row.range_id, row.row_id)
            for row in rows
        ] == expected
        compact_now(made.store, force=True)


def test_the_uid_map_has_one_row_a_doc_id_in_order_and_no_empty_uid(tmp_path: Path) -> None:
    """§4.2: `everdex chunks` lists every docId once, ascending, by file and start; no uid is empty or twice."""
    files = {
        "b.py": _repeated(4), "a/x.py": SHORT, "guide.md": f"# T\n\n```python\n{SHORT}```\n", "empty.py": "",
        "page.html": "<p>x</p>\n<script>\nlet a = 1;\n</script>\n", "notes.txt": "one line",
    }  # fmt: skip
    made = synced(tmp_path / "tree", files)
    lines = [json.loads(line) for line in everdex("chunks", made.path).lines]
    assert [line["docId"] for line in lines] == list(range(len(lines)))
    assert [(line["file"], line["start"]) for line in lines] == sorted((line["file"], line["start"]) for line in lines)
    assert {line["file"] for line in lines} == files.keys() - {"empty.py"}
    assert all(line["chunkUid"].startswith("cu:v1:xxh64:") and len(line["chunkUid"]) >= 28 for line in lines)
    assert len({line["chunkUid"] for line in lines}) == len(lines)
    assert any(line["chunkUid"].endswith(":c1") for line in lines)
    for name, text in files.items():
        pieces = [(line["start"], line["end"]) for line in lines if line["file"] == name]
        assert b"".join(text.encode()[start:end] for start, end in pieces) == text.encode()


@pytest.mark.parametrize("path", ["a.py", "a.md", "a.txt", "a.json", "a.html", "a.rs"])
def test_no_uid_is_empty_whatever_the_content(path: str) -> None:
    """Fail-closed: any chunk of any text has a uid of its own, also in a file of nothing but equal lines."""
    for text in ("\n", " ", "x", "\n" * 3000, "same line\n" * 2000, "é" * 5000):
        uids = [identity.uid for identity in _named(text, path)[1]]
        assert all(uid.startswith("cu:v1:xxh64:") for uid in uids)
        assert len(set(uids)) == len(uids) > 0


def test_names_are_made_as_specified() -> None:
    """The strings another system would compute from the bytes, also near the beginning of a file."""
    text = "def f():\n" + " f()\n" * 10 + f"\n\n{_function('second')}"
    parsed, identities = _named(text, "a.py")
    data = text.encode()
    assert any(chunk.start_byte > 0 for chunk in parsed.chunks)
    for chunk, identity in zip(parsed.chunks, identities, strict=True):
        name = parsed.symbols[chunk.symbol].qualified_name if chunk.symbol is not None else ""
        own = data[chunk.start_byte : chunk.end_byte]
        before = data[max(0, chunk.start_byte - _CONTEXT) : chunk.start_byte]
        assert identity.chunk_hash == hashlib.sha256("\n".join(chunk.breadcrumb).encode() + b"\0" + own).digest()
        assert identity.pre_hash == xxhash.xxh64_hexdigest(before)
        raw = "\0".join(("a.py", "", str(chunk.start_byte), str(chunk.end_byte), chunk.kind, name))
        assert identity.range_id == "chunk_" + hashlib.sha1(raw.encode()).hexdigest()


def test_rows_read_back_are_called_as_they_were_named(tmp_path: Path) -> None:
    """What is not stored is worked out to the same: of equal chunks, of embedded code, of what has no name."""
    equal = "".join(f"value_{n} = {n}\n" for n in range(40))
    files = {
        "twice.txt": "same words\n" * 400, "page.md": f"# Head\n\ntext\n\n```python\n{_function('inner')}```\n",
        "a.py": equal, "none.sh": "echo 1\n",
    }
    made = synced(tmp_path / "tree", files)
    with open_view(made.store) as view:
        collided, languages = 0, set[str]()
        for path, text in files.items():
            parsed = parse_file(path, text.encode(), made.config.index)
            for chunk, identity, document in zip(
                parsed.chunks, identify(path, text.encode(), parsed), view.documents_of(path), strict=True
            ):
                row = document.row
                assert (row.chunk_uid, row.range_id) == (identity.uid, identity.range_id)
                assert row.row_id == identity.row_id.hex()
                assert (row.breadcrumb, row.language) == (chunk.breadcrumb, chunk.language)
                assert row.collision_of == identity.collision_of
                collided += identity.collision_of is not None
                languages.add(f"{path} {row.language}")
    assert collided
    assert {"page.md markdown", "page.md python"} <= languages
