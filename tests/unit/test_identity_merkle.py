"""The digest that names a snapshot's content: the same files and configuration, the same root, and nothing else."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable

from everdex.identity.merkle import config_leaf, file_leaf, merkle_root, snapshot_digest

FILES = [(f"dir{number % 3}/file{number}.py", hashlib.sha256(bytes([number])).hexdigest()) for number in range(7)]
CONFIG = "c" * 64


def digest(files: Iterable[tuple[str, str]], config: str) -> str:
    return snapshot_digest([(path, file_leaf(path, content)) for path, content in files], config)


def test_the_digest_does_not_depend_on_order() -> None:
    """However the files are listed."""
    wanted = digest(FILES, CONFIG)
    for some in itertools.islice(itertools.permutations(FILES), 0, 5040, 97):
        assert digest(some, CONFIG) == wanted


def test_every_difference_makes_another_digest() -> None:
    """A new file, one less, other content, another name, two names swapped, another configuration: all differ."""
    (first, first_hash), (second, second_hash), *rest = FILES
    variants = [
        FILES,
        [*FILES, ("new.py", "0" * 64)],
        FILES[1:],
        FILES[:-1],
        [(first, "f" * 64), *FILES[1:]],
        [("other.py", first_hash), *FILES[1:]],
        [(first, second_hash), (second, first_hash), *rest],
        [],
    ]
    digests = [digest(files, CONFIG) for files in variants]
    assert len(set(digests)) == len(variants)
    assert digest(FILES, "d" * 64) not in digests


def test_an_empty_tree_has_the_digest_of_its_configuration() -> None:
    """The configuration is a leaf of its own, so even two empty trees differ by it."""
    assert digest([], CONFIG) == config_leaf(CONFIG).hex()
    assert digest([], CONFIG) != digest([], "d" * 64)


def test_a_file_cannot_stand_in_for_the_configuration_or_a_node() -> None:
    """Files, nodes and configuration are hashed under different names, so none can pass for another kind."""
    assert file_leaf(CONFIG, "0" * 64) != config_leaf(CONFIG)
    left, right = file_leaf("a", "0" * 64), file_leaf("b", "1" * 64)
    assert merkle_root([("a", left), ("b", right)]) != hashlib.sha256(left + right).hexdigest()
    assert file_leaf("a", "0" * 64) not in (file_leaf("b", "0" * 64), file_leaf("a", "1" * 64))


def test_an_odd_leaf_is_not_the_same_as_that_leaf_twice() -> None:
    """Pairing the last node with itself must not make two different sets of paths one."""
    odd = FILES[:3]
    again = [*odd, ("zz/" + odd[-1][0], odd[-1][1])]
    assert digest(odd, CONFIG) != digest(again, CONFIG)


def test_the_digest_is_made_as_specified() -> None:
    """The hashes another system would compute from the same files."""

    def sha(*parts: bytes) -> bytes:
        return hashlib.sha256(b"".join(parts)).digest()

    assert file_leaf("a/b.py", "ab" * 32) == sha(b"file\0", b"a/b.py", b"\0", b"\xab" * 32)
    first, second, third = (sha(bytes([number])) for number in range(3))
    left, right = sha(b"node\0", first, second), sha(b"node\0", third, third)
    leaves = [("c", third), ("a", first), ("b", second)]
    assert merkle_root(leaves) == sha(b"node\0", left, right).hex()
