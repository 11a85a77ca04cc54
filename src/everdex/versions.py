"""Version numbers of everything that is written to disk or mixed into a fingerprint, with their history.

An artifact outside its readable range is refused by name (`incompatible`); it is never half-read.
"""

from __future__ import annotations

from typing import Final

import msgspec

from everdex.errors import Incompatible


class SchemaRange(msgspec.Struct, frozen=True):
    """Which versions of one artifact this build reads, and the one it writes."""

    min_readable: int
    max_readable: int
    writable: int


ARTIFACTS: Final[dict[str, SchemaRange]] = {
    # 1: snapshots, numbered manifests, segments with tombstones
    "manifest": SchemaRange(1, 1, 1),
    # 1: minimal state, rebuildable from manifests
    "index_state": SchemaRange(1, 1, 1),
    # 1: owner, epoch, heartbeat, staging transaction
    "writer_lease": SchemaRange(1, 1, 1),
    # 1: rows.db (files, chunks, symbols), vectors.i8, lexical.bin, files.jsonl
    # 2: rows.db keeps symbols by row and their descriptions by file
    # 3: sources can be read from the middle
    # 4: vectors.i8 says how near each chunk is to the mean of its file
    # 5: files.jsonl has the languages that names do not say
    "chunk_row": SchemaRange(5, 5, 5),
    # 1: first answer envelope
    "answer": SchemaRange(1, 1, 1),
    # 1: store policy (single-user or shared) fixed at creation
    "store": SchemaRange(1, 1, 1),
    # 1: one mapped file: blobs by file, offers, postings
    # 2: what each part of a file looked at; blobs are read without their source
    # 3: sites that are not resolved are counted by name; one byte tells what a site is
    # 4: what indexers say: of sites, by a bit, and the names of definitions
    # 5: the list of files is not compressed
    # 6: tables have each key once, and keys share lists of files
    "graph": SchemaRange(6, 6, 6),
    # 1: a file a context: documents by path and content, symbols with where they are defined
    "semantic": SchemaRange(1, 1, 1),
    # 1: refresh jobs with scope, HEAD, budget and outcome
    # 2: a job may be of a semantic context
    "jobs": SchemaRange(1, 2, 2),
    # 1: rename plans by id: what was asked for, and once begun what each file was and becomes
    # 2: places in doubt that were taken
    "rename_plan": SchemaRange(1, 2, 2),
    # 1: what discharges an ambiguity: signature, contents, reason, the places that were open
    "decision": SchemaRange(1, 1, 1),
    # 1: evidence with anchors, claims, decisions, and what was dropped
    "board": SchemaRange(1, 1, 1),
    # 1: canvas/graph_meta.json: digest, leaves, statistics, symbols, the architecture picture
    "graph_meta": SchemaRange(1, 1, 1),
}

# What follows names how something is worked out, not how it is stored: any other number than the kept one means that it
# is worked out again. Nothing has been released yet, so their histories begin with the first release; what each of the
# earlier numbers changed is in git (`git log -p -G CHUNKER_VERSION src/everdex/versions.py`).

# How files are cut into chunks, and which symbols they define.
CHUNKER_VERSION: Final = "19"

# How words are split and stemmed.
WORDS_VERSION: Final = "1"

# How vectors are made of words.
VECTORS_VERSION: Final = "1"

# What a file says of itself: definitions, calls, references, imports.
FACTS_VERSION: Final = "43"

# What counts as a file's interface.
INTERFACE_VERSION: Final = "1"

# What any resolver answers.
RESOLVERS_VERSION: Final = "63"

# How what indexers say is put over what resolvers say; part of the name of a graph with facts.
JOIN_VERSION: Final = "2"

# How the same answer is drawn; part of the name of a kept picture.
PICTURES_VERSION: Final = "11"

# How results are ranked.
RANKING_VERSION: Final = "17"


def check_readable(artifact: str, version: object, where: str) -> None:
    """Raise `Incompatible`, naming artifact and version, unless this build can read it."""
    known = ARTIFACTS[artifact]
    if isinstance(version, int) and known.min_readable <= version <= known.max_readable:
        return
    raise Incompatible(
        f"{where}: {artifact} has schema version {version!r}; this everdex reads "
        f"{known.min_readable} to {known.max_readable}"
    )
