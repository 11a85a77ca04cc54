"""From mined pairs to the arrays that training reads: counted words, the vocabulary, and which words have which pieces.

Repeated pairs are kept once, sentences that stand over more than twenty pieces of code are dropped as saying nothing,
and whole packages are held out for evaluation, as is every README example. Everything is a function of the pairs: no
randomness.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import xxhash
from scipy import sparse

from everdex.embed.pieces import WordPieces
from training import vocabulary
from training.mine import read_pairs
from training.pairs import THIN_LANGUAGES, Pair

MAX_REPEATS: Final = 20
FIELDS: Final = ("query", "name", "path", "body")
_HELD_OUT: Final = 50  # one package of this many is never trained on
_HELD_OUT_THIN: Final = 7  # and one of this many whose pairs are mostly of a language that few have

Matrix = Any  # scipy.sparse has no types


@dataclass(frozen=True, slots=True)
class Prepared:
    """Row i of every field's count matrix (pairs × words) belongs to pair i."""

    counts: dict[str, Matrix]
    pieces: Matrix  # words × vocabulary: how often each word has each piece
    vocabulary: list[str]
    packages: npt.NDArray[np.int32]
    languages: npt.NDArray[np.int16]
    language_names: list[str]
    query_hashes: npt.NDArray[np.uint64]
    body_hashes: npt.NDArray[np.uint64]
    held_out: npt.NDArray[np.bool_]  # by pair: never trained on
    examples: npt.NDArray[np.bool_]  # by pair: from a README


def is_held_out(package: str, pairs: list[Pair]) -> bool:
    """By the package's name without its version, so that an update does not move it."""
    name = "~".join(package.split("~")[:-1])
    thin = 2 * sum(pair.language in THIN_LANGUAGES for pair in pairs) > len(pairs)
    number = int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")
    return number % _HELD_OUT == 0 or (thin and number % _HELD_OUT_THIN == 0)


def _kept(directory: Path) -> Iterator[tuple[str, list[Pair]]]:
    repeats: Counter[int] = Counter()
    for _, pairs in read_pairs(directory):
        repeats.update(xxhash.xxh64_intdigest(pair.query.encode()) for pair in pairs)
    seen: set[int] = set()
    for package, pairs in read_pairs(directory):
        kept = []
        for pair in pairs:
            query = xxhash.xxh64_intdigest(pair.query.encode())
            both = xxhash.xxh64_intdigest(f"{pair.query}\n{pair.body}".encode())
            if repeats[query] <= MAX_REPEATS and both not in seen:
                seen.add(both)
                kept.append(pair)
        yield package, kept


class _Words(dict[str, int]):
    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def prepare(pairs: Path, output: Path, size: int = vocabulary.SIZE, trained: int = vocabulary.TRAINED) -> int:
    """Write the arrays; how many pairs there are."""
    words = _Words()
    flat: dict[str, list[npt.NDArray[np.int32]]] = {field: [] for field in FIELDS}
    lengths: dict[str, list[int]] = {field: [] for field in FIELDS}
    packages: list[int] = []
    languages: list[str] = []
    query_hashes: list[int] = []
    body_hashes: list[int] = []
    held_out: list[bool] = []
    examples: list[bool] = []
    for number, (package, kept) in enumerate(_kept(pairs)):
        held = is_held_out(package, kept)
        for pair in kept:
            for field in FIELDS:
                text = getattr(pair, field).split()
                lengths[field].append(len(text))
                flat[field].append(np.fromiter(map(words.__getitem__, text), np.int32, len(text)))
            packages.append(number)
            languages.append(pair.language)
            query_hashes.append(xxhash.xxh64_intdigest(pair.query.encode()))
            body_hashes.append(xxhash.xxh64_intdigest(pair.body.encode()))
            examples.append(pair.kind == "readme")
            held_out.append(held or examples[-1])
    if not packages:
        raise ValueError(f"no pairs in {pairs}")
    output.mkdir(parents=True, exist_ok=True)
    totals = np.zeros(len(words), dtype=np.int64)
    for field in FIELDS:
        ids = np.concatenate(flat[field])
        matrix = _count_matrix(ids, lengths[field], len(words))
        sparse.save_npz(output / f"{field}.npz", matrix, compressed=False)
        totals += np.bincount(ids, minlength=len(words))
    names = list(words)
    pieces = vocabulary.build(Counter(dict(zip(names, totals.tolist(), strict=True))), size, trained)
    sparse.save_npz(output / "pieces.npz", piece_matrix(names, pieces), compressed=False)
    language_names = sorted(set(languages))
    np.savez(
        output / "pairs.npz",
        packages=np.array(packages, dtype=np.int32),
        languages=np.array([language_names.index(name) for name in languages], dtype=np.int16),
        query_hashes=np.array(query_hashes, dtype=np.uint64),
        body_hashes=np.array(body_hashes, dtype=np.uint64),
        held_out=np.array(held_out, dtype=np.bool_),
        examples=np.array(examples, dtype=np.bool_),
    )
    (output / "vocabulary.json").write_text(json.dumps({"languages": language_names, "pieces": pieces}))
    return len(packages)


def _count_matrix(ids: npt.NDArray[np.int32], lengths: list[int], n_words: int) -> Matrix:
    offsets = np.zeros(len(lengths) + 1, dtype=np.int64)
    np.cumsum(lengths, out=offsets[1:])
    matrix = sparse.csr_matrix((np.ones(len(ids), dtype=np.float32), ids, offsets), shape=(len(lengths), n_words))
    matrix.sum_duplicates()
    return matrix


def piece_matrix(words: list[str], pieces: list[str]) -> Matrix:
    cuts = WordPieces(pieces).cut(words)
    ids = np.array([number for cut in cuts for number in cut], dtype=np.int32)
    return _count_matrix(ids, [len(cut) for cut in cuts], len(pieces))


def load(directory: Path) -> Prepared:
    names = json.loads((directory / "vocabulary.json").read_text())
    arrays = np.load(directory / "pairs.npz")
    return Prepared(
        counts={field: sparse.load_npz(directory / f"{field}.npz").tocsr() for field in FIELDS},
        pieces=sparse.load_npz(directory / "pieces.npz").tocsr(),
        vocabulary=names["pieces"],
        packages=arrays["packages"],
        languages=arrays["languages"],
        language_names=names["languages"],
        query_hashes=arrays["query_hashes"],
        body_hashes=arrays["body_hashes"],
        held_out=arrays["held_out"],
        examples=arrays["examples"],
    )
