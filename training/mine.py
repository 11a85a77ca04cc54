"""Pairs of a sentence and the code it speaks of, out of packages, with everdex's own parser.

Query: a sentence of a definition's or a file's documentation, or a comment inside a body. Document: the
definition, a stretch of the file, or the lines below the comment, with all documentation taken out. What is kept are
the words that everdex embeds, so that training sees what indexing does. One file of pairs a package; a package that has
its file is done.
"""

from __future__ import annotations

import hashlib
import random
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec
import numpy as np

from everdex.config import IndexConfig
from everdex.languages import language_of, parsed_language
from everdex.parse.file import parse_file
from everdex.parse.model import ParsedFile
from training.archives import Archive, members
from training.hygiene import BenchmarkCode
from training.licences import names_copyleft, refused_paths
from training.modules import mine_module
from training.pairs import MAX_WORDS, MIN_DOCUMENT_WORDS, THIN_LANGUAGES, Pair, embedding_words, question
from training.readmes import is_readme, mine_readme
from training.sentences import further_sentences

MAX_PAIRS: Final = 6_000  # a package, of first sentences and comments
# Of a package, how many of each of these; all but the comments come on top of its pairs.
_MOST: Final = {"inline": 1_500, "file": 1_500, "further": 3_000}
_THIN_ROOM: Final = 3  # times as many of everything, in the languages that few packages have
_INLINE_LINES: Final = 14
_MAX_FILES: Final = 1_500
_MAX_LINE: Final = 180  # mean bytes a line: longer is generated or minified
_LANGUAGES: Final = frozenset(
    [
        "bash",
        "c",
        "cpp",
        "csharp",
        "elixir",
        "go",
        "haskell",
        "java",
        "javascript",
        "kotlin",
        "lua",
        "php",
        "python",
        "ruby",
        "rust",
        "scala",
        "swift",
        "tsx",
        "typescript",
        "zig",
    ]
)
_KINDS: Final = frozenset(
    [
        "function",
        "method",
        "class",
        "interface",
        "struct",
        "enum",
        "trait",
        "type",
        "constructor",
        "module",
        "impl",
        "object",
        "protocol",
    ]
)
_SKIPPED: Final = re.compile(
    r"(^|/)(dist|build|lib-?(cjs|esm)|esm|cjs|umd|node_modules|vendor|third_party|_vendor|locale|migrations|pip/_vendor)/"
    r"|\.min\.|\.d\.[mc]?ts$|\.pb\.go$|_pb2(_grpc)?\.py$|\.g\.cs$|bundle|\.umd\.|\.cjs\.|_generated\."
)
_DOCSTRING: Final = re.compile(rb"[rRbBuUfF]{0,2}[\"'@~]")
_COMMENT: Final = re.compile(r"^[\s/*#\-;!%{}|]+|[\s/*\-}]+$")


def wanted(path: str) -> bool:
    """Source of a language that has a grammar, written by people, or the package's README."""
    if is_readme(path):
        return True
    language = language_of(path)
    return language is not None and parsed_language(language) in _LANGUAGES and _SKIPPED.search(path) is None


def mine_file(path: str, data: bytes, benchmarks: BenchmarkCode) -> Iterator[Pair]:
    """The pairs of one file; nothing of what it shares with a benchmark."""
    if len(data) > _MAX_LINE * (data.count(b"\n") + 20) or not _is_utf8(data):
        return
    parsed = parse_file(path, data, IndexConfig(embedder="none"))
    shared = benchmarks.shared(data)
    place = " ".join(embedding_words("/".join(PurePosixPath(path).parts[-3:])))
    language = parsed_language(parsed.language) or parsed.language
    for symbol in parsed.symbols:
        if not symbol.doc or symbol.kind not in _KINDS:
            continue
        query = question(symbol.doc)
        if query is None or _is_shared(shared, symbol.start_byte, symbol.end_byte):
            continue
        body = _body(data, parsed, symbol.start_byte, symbol.end_byte)
        if len(body) >= MIN_DOCUMENT_WORDS:
            name = " ".join(embedding_words(symbol.qualified_name))
            yield Pair(language, symbol.kind, query, name, place, " ".join(body))
            for further in further_sentences(data, parsed, symbol):
                yield Pair(language, "further", further, name, place, " ".join(body))
    yield from _inline(data, parsed, language, place, shared)
    if not shared:
        yield from mine_module(language, place, data.decode("utf-8"))


def _is_utf8(data: bytes) -> bool:
    """Parsing promises nothing for other encodings: discovery leaves such files out."""
    try:
        return "\0" not in data.decode("utf-8")
    except UnicodeDecodeError:
        return False


def _inline(data: bytes, parsed: ParsedFile, language: str, place: str, shared: list[int]) -> Iterator[Pair]:
    """Comments inside bodies, with the lines that follow each."""
    spans = [
        (symbol.start_byte, symbol.end_byte)
        for symbol in parsed.symbols
        if symbol.kind in ("function", "method", "constructor")
    ]
    starts = [start for start, _ in spans]
    for start, end in parsed.doc_ranges:
        holder = bisect_left(starts, start) - 1
        if holder < 0 or not spans[holder][0] < start < end < spans[holder][1] or _DOCSTRING.match(data, start):
            continue
        query = question(_COMMENT.sub("", data[start:end].decode("utf-8", "replace")))
        stop = end
        for _ in range(_INLINE_LINES):
            stop = data.find(b"\n", stop + 1)
            if stop < 0 or stop > spans[holder][1]:
                stop = spans[holder][1]
                break
        if query is None or _is_shared(shared, start, stop):
            continue
        body = _body(data, parsed, end, stop)
        if len(body) >= MIN_DOCUMENT_WORDS:
            yield Pair(language, "inline", query, "", place, " ".join(body))


def _body(data: bytes, parsed: ParsedFile, start: int, end: int) -> list[str]:
    """Words of the code between two offsets without comments and docstrings, up to the cap."""
    ranges = parsed.doc_ranges
    words: list[str] = []
    at = max(bisect_left(ranges, (start, start)) - 1, 0)
    position = start
    while position < end and len(words) < MAX_WORDS:
        while at < len(ranges) and ranges[at][1] <= position:
            at += 1
        stop = min(end, ranges[at][0]) if at < len(ranges) else end
        if stop > position:
            # Four times the words that are wanted is always enough, and bounds what a huge class costs.
            words += embedding_words(data[position : min(stop, position + 16 * MAX_WORDS)].decode("utf-8", "replace"))
        position = max(stop, ranges[at][1]) if at < len(ranges) else end
    return words[:MAX_WORDS]


def _is_shared(shared: list[int], start: int, end: int) -> bool:
    place = bisect_left(shared, start)
    return place < len(shared) and shared[place] < end


def mine_package(archive: Archive, benchmarks: BenchmarkCode) -> list[Pair]:
    """The pairs of a package up to their limits, out of its files in a seeded order; equal pairs once."""
    seed = int.from_bytes(hashlib.sha256(f"{archive.registry}/{archive.name}".encode()).digest()[:8], "big")
    generator = random.Random(seed)
    refused = refused_paths(archive)
    files = [
        (path, data)
        for path, data in members(archive, wanted)
        if (refused is None or refused.search(path) is None) and not names_copyleft(data)
    ]
    generator.shuffle(files)
    pairs: dict[tuple[str, str], Pair] = {}
    for path, data in files:
        if is_readme(path):
            pairs.update(((pair.query, pair.body), pair) for pair in mine_readme(data, benchmarks))
    sources = [file for file in files if not is_readme(file[0])]
    thin = [file for file in sources if _is_thin(file[0])]
    pairs |= _mine_files(thin, benchmarks, _THIN_ROOM)
    pairs |= _mine_files([file for file in sources if not _is_thin(file[0])], benchmarks, 1)
    return list(pairs.values())


def _is_thin(path: str) -> bool:
    return parsed_language(language_of(path) or "") in THIN_LANGUAGES


def _mine_files(
    files: list[tuple[str, bytes]], benchmarks: BenchmarkCode, room: int
) -> dict[tuple[str, str], Pair]:
    """The pairs of these files up to so many times the limits."""
    pairs: dict[tuple[str, str], Pair] = {}
    left = {kind: room * most for kind, most in _MOST.items()}
    extra = 0
    for path, data in files[: room * _MAX_FILES]:
        for pair in mine_file(path, data, benchmarks):
            if pair.kind in left:
                if not left[pair.kind]:
                    continue
                left[pair.kind] -= 1
                extra += pair.kind != "inline"
            pairs.setdefault((pair.query, pair.body), pair)
        if len(pairs) - extra >= room * MAX_PAIRS:
            break
    return pairs


_benchmarks: BenchmarkCode


def _start(known: Path) -> None:
    global _benchmarks
    _benchmarks = BenchmarkCode(np.load(known))


def _mine(archive: Archive, output: Path) -> Counter[str]:
    pairs = mine_package(archive, _benchmarks)
    encoder = msgspec.msgpack.Encoder()
    partial = output.with_suffix(".partial")
    partial.write_bytes(encoder.encode(pairs))
    partial.rename(output)  # last: an interrupted package is mined again
    return Counter(pair.language for pair in pairs)


def output_name(archive: Archive) -> str:
    return f"{archive.registry}~{archive.name.replace('/', '~')}~{archive.version.replace('/', '~')}.pairs"


def mine(archives: list[Archive], benchmarks: BenchmarkCode, directory: Path, workers: int) -> Counter[str]:
    """Mine every package that has no pairs yet; pairs by language of what was mined now."""
    directory.mkdir(parents=True, exist_ok=True)
    known = directory / "benchmarks.npy"
    benchmarks.save(known)
    total: Counter[str] = Counter()
    todo = [archive for archive in archives if not (directory / output_name(archive)).exists()]
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(known,)) as pool:
        outputs = [directory / output_name(archive) for archive in todo]
        for done, counts in enumerate(pool.map(_mine, todo, outputs, chunksize=1), 1):
            total += counts
            if done % 25 == 0 or done == len(todo):
                print(f"mined {done:,} of {len(todo):,} packages, {total.total():,} pairs", flush=True)
    return total


def read_pairs(directory: Path) -> Iterator[tuple[str, list[Pair]]]:
    """(package, pairs) of every mined package, by name."""
    decoder = msgspec.msgpack.Decoder(list[Pair])
    for file in sorted(directory.glob("*.pairs")):
        yield file.stem, decoder.decode(file.read_bytes())
