"""Cutting a few words without the tokenizer library gives the library's own pieces."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from tokenizers import Tokenizer

from everdex.embed.bpe import WordMerger
from everdex.embed.tables import PieceTokenizer
from everdex.embed.wordllama import TOKENIZER, package_directory
from everdex.errors import EmbedderUnavailable

MARK = "\u2581"
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


@pytest.fixture(scope="module")
def path() -> Path:
    return package_directory() / TOKENIZER


@pytest.fixture(scope="module")
def library(path: Path) -> Tokenizer:
    return Tokenizer.from_file(str(path))


def test_plain_words_are_cut_as_by_the_library(path: Path, library: Tokenizer) -> None:
    """Every plain entry of the vocabulary, random words and long runs of one letter have the same pieces."""
    merger = WordMerger(path, MARK)
    chance = random.Random(7)
    words = {piece.replace(MARK, "") for piece in library.get_vocab()}
    words |= {"".join(chance.choices(LETTERS, k=chance.randint(1, 40))) for _ in range(3_000)}
    words |= {letter * length for letter in "aelst01" for length in range(1, 65)}
    plain = sorted(word for word in words if merger.can_cut(word))
    assert len(plain) > 20_000
    theirs = [encoding.ids for encoding in library.encode_batch(plain, add_special_tokens=False)]
    assert [merger.cut(word) for word in plain] == theirs


@pytest.mark.parametrize("word", ["", "größe", "a b", "a_b", "<s>", f"{MARK}a", "a" * 65, "a\n"])
def test_other_words_are_left_to_the_library(word: str) -> None:
    """What could need a normaliser, a special token or byte fallback is never cut here."""
    assert not WordMerger.can_cut(word)


def test_few_and_many_words_have_the_same_pieces(path: Path) -> None:
    """Whether the library is loaded changes no piece: not for one batch, nor for words asked for one by one."""
    words = [f"word{number}" for number in range(300)] + ["größe"]
    few, many = (PieceTokenizer(path, "", frozenset({0, 1, 2}), 32_000, mark=mark) for mark in (MARK, None))
    assert [few.pieces([word])[0] for word in words] == many.pieces(words)


def test_a_damaged_file_is_unavailable(tmp_path: Path) -> None:
    """A tokenizer file without merges ends in an error that names it."""
    damaged = tmp_path / "tokenizer.json"
    damaged.write_text('{"model": {"vocab": {}}}')
    with pytest.raises(EmbedderUnavailable, match=r"tokenizer\.json"):
        WordMerger(damaged, MARK)
