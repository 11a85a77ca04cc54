"""The pieces that words are cut into: byte-pair merges that can spell anything, then whole frequent words.

Written here rather than taken from a library because the same counts must always give the same pieces: merges are
chosen by count and then by spelling.
"""

from __future__ import annotations

import heapq
from collections import Counter
from itertools import pairwise
from typing import Final

from everdex.embed.pieces import CONTINUES

SIZE: Final = 32_000
TRAINED: Final = 6_000
_MIN_COUNT: Final = 5
_MAX_LETTERS: Final = 24  # of a word that merges are learned from: longer ones are hashes
_ALPHABET: Final = 400

Merge = tuple[str, str]


def build(counts: Counter[str], size: int = SIZE, trained: int = TRAINED) -> list[str]:
    """At most `size` pieces, the same for the same counts: letters, merges, then words by how often they occur."""
    common = {word: count for word, count in counts.items() if count >= _MIN_COUNT and len(word) <= _MAX_LETTERS}
    letters: Counter[str] = Counter()
    for word, count in common.items():
        for letter in word:
            letters[letter] += count
    alphabet = [letter for letter, _ in sorted(letters.items(), key=lambda item: (-item[1], item[0]))[:_ALPHABET]]
    chosen = dict.fromkeys(alphabet)
    chosen.update(dict.fromkeys(CONTINUES + letter for letter in alphabet))
    known = set(alphabet)
    words = {word: _weight(count) for word, count in common.items() if set(word) <= known}
    for merged in _merges(words, trained - len(chosen)):
        chosen.setdefault(merged)
    for word, count in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        if len(chosen) >= size or count < _MIN_COUNT:
            break
        chosen.setdefault(word)
    return list(chosen)


def _weight(count: int) -> int:
    """The root of a word's count: frequent words get pieces of their own anyway, these are for what is rare."""
    return max(1, int(count**0.5))


def _merges(words: dict[str, int], wanted: int) -> list[str]:
    """The pieces of the first `wanted` merges, the most frequent pair first."""
    spelled = [[word[0], *(CONTINUES + letter for letter in word[1:])] for word in sorted(words)]
    weights = [words[word] for word in sorted(words)]
    totals: Counter[Merge] = Counter()
    holders: dict[Merge, set[int]] = {}
    for place, pieces in enumerate(spelled):
        for pair in pairwise(pieces):
            totals[pair] += weights[place]
            holders.setdefault(pair, set()).add(place)
    queue = [(-total, pair) for pair, total in totals.items()]
    heapq.heapify(queue)
    found: list[str] = []
    while queue and len(found) < wanted:
        total, pair = heapq.heappop(queue)
        if -total != totals[pair]:  # counted anew since it was queued
            continue
        merged = pair[0] + pair[1].removeprefix(CONTINUES)
        found.append(merged)
        changed: set[Merge] = set()
        for place in holders.pop(pair):
            changed |= _apply(spelled, place, pair, merged, weights[place], totals, holders)
        del totals[pair]
        for other in changed - {pair}:
            if totals[other] > 0:
                heapq.heappush(queue, (-totals[other], other))
    return found


def _apply(
    spelled: list[list[str]],
    place: int,
    pair: Merge,
    merged: str,
    weight: int,
    totals: Counter[Merge],
    holders: dict[Merge, set[int]],
) -> set[Merge]:
    """Merge the pair in one word and recount the word's pairs; which pairs changed."""
    before = spelled[place]
    after: list[str] = []
    at = 0
    while at < len(before):
        if at + 1 < len(before) and before[at] == pair[0] and before[at + 1] == pair[1]:
            after.append(merged)
            at += 2
        else:
            after.append(before[at])
            at += 1
    spelled[place] = after
    old, new = list(pairwise(before)), list(pairwise(after))
    for other in old:
        totals[other] -= weight
    for other in new:
        totals[other] += weight
        holders.setdefault(other, set()).add(place)
    return set(old) | set(new)
