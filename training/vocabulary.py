"""The pieces that words are cut into: a small trained set that can spell anything, then whole frequent words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from tokenizers import Tokenizer
from tokenizers.models import WordPiece
from tokenizers.pre_tokenizers import WhitespaceSplit
from tokenizers.trainers import WordPieceTrainer

from everdex.embed.pieces import CONTINUES

SIZE: Final = 32_000
TRAINED: Final = 6_000
_MIN_COUNT: Final = 5
_ALPHABET: Final = 400
_UNKNOWN: Final = "[UNK]"


def build(counts: Counter[str], size: int = SIZE, trained: int = TRAINED) -> list[str]:
    """At most `size` pieces, the same for the same counts; row 0 is the first."""
    tokenizer = Tokenizer(WordPiece(unk_token=_UNKNOWN))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    trainer = WordPieceTrainer(
        vocab_size=trained,
        limit_alphabet=_ALPHABET,
        special_tokens=[_UNKNOWN],
        continuing_subword_prefix=CONTINUES,
        show_progress=False,
    )
    tokenizer.train_from_iterator(_text(counts), trainer)
    learned = tokenizer.get_vocab()
    pieces = sorted((piece for piece in learned if piece != _UNKNOWN), key=lambda piece: learned[piece])
    # Every letter that begins a word must be able to continue one, or a rare word loses letters.
    pieces += [CONTINUES + piece for piece in pieces if len(piece) == 1]
    chosen = dict.fromkeys(pieces)
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if len(chosen) >= size or count < _MIN_COUNT:
            break
        chosen.setdefault(word)
    return list(chosen)


def _text(counts: Counter[str]) -> Iterator[str]:
    """Each word as often as the root of its count: the pieces are for what is rare."""
    for word, count in sorted(counts.items()):
        if count >= _MIN_COUNT:
            yield " ".join([word] * max(1, int(count**0.5)))
