"""`everdex chunks`: the export of chunk identities."""

from __future__ import annotations

import json
from pathlib import Path

from support.commands import everdex


def test_metadata_says_what_the_uid_was_made_from(tmp_path: Path) -> None:
    """--meta adds metaV2 with every required field, and collisionOf only where two spans share a uid."""
    root = tmp_path / "tree"
    root.mkdir()
    # Two identical functions far from everything else: same span, same 64 bytes on either side.
    block = "".join(f"    total += {n}\n" for n in range(100, 115))
    same = f"def same(total):\n{block}    return total\n\n\n"
    (root / "a.py").write_text(same * 4)
    lines = [json.loads(line) for line in everdex("chunks", "--meta", str(root)).out.splitlines()]
    assert [line["docId"] for line in lines] == list(range(len(lines)))
    for line in lines:
        meta = line["metaV2"]
        assert (meta["chunkId"], meta["chunkUid"]) == (line["chunkId"], line["chunkUid"])
        assert meta["chunkUidAlgoVersion"] == "v1"
        assert all(meta[name].startswith("xxh64:") for name in ("spanHash", "preHash", "postHash"))
        assert ("collisionOf" in meta) == (":c" in line["chunkUid"])
    assert len({line["chunkUid"] for line in lines}) == len(lines)
    assert any("collisionOf" in line["metaV2"] for line in lines)
