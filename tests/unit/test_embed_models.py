"""Opening embedders: the pinned table, local model2vec directories, and files that are not what they should be."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from everdex import embed
from everdex.embed import bundled
from everdex.embed.bundled import Bundled
from everdex.errors import ConfigError, EmbedderUnavailable
from everdex.numeric import np


def safetensors(path: Path, **tensors: np.ndarray) -> None:
    names = {"float32": "F32", "float16": "F16", "int64": "I64"}
    header, blob = {}, b""
    for name, array in tensors.items():
        start = len(blob)
        blob += array.tobytes()
        header[name] = {"dtype": names[array.dtype.name], "shape": array.shape, "data_offsets": [start, len(blob)]}
    head = json.dumps(header).encode()
    path.write_bytes(len(head).to_bytes(8, "little") + head + blob)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A model2vec directory with three words, one of them unknown."""
    directory = tmp_path / "model"
    directory.mkdir()
    tokenizer = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [], "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": None, "decoder": None,
        "model": {"type": "WordLevel", "vocab": {"[UNK]": 0, "red": 1, "blue": 2}, "unk_token": "[UNK]"},
    }  # fmt: skip
    (directory / "tokenizer.json").write_text(json.dumps(tokenizer))
    (directory / "config.json").write_text("{}")
    safetensors(directory / "model.safetensors", embeddings=np.array([[9, 9], [1, 0], [0, 2]], dtype=np.float32))
    return directory


def test_the_bundled_table_gives_words_their_meaning() -> None:
    """Related words of code are nearer than unrelated ones, and what the table does not know is spelled."""
    opened = embed.open_embedder("bundled", Path("/"))
    assert opened is not None
    assert opened.dim == 288
    vectors = opened.word_vectors(["remove", "delete", "matrix", "zzxqj", "用户", ""])
    lengths = np.linalg.norm(vectors, axis=1)
    assert lengths[3] > 0
    units = vectors[:3] / lengths[:3, None]
    assert units[0] @ units[1] > units[0] @ units[2] + 0.1
    assert np.isfinite(vectors).all()


def test_a_word_counts_otherwise_in_a_question() -> None:
    """A question's word has the direction of the table's and a weight of its own."""
    opened = embed.open_embedder("bundled", Path("/"))
    assert opened is not None
    plain, asked = opened.word_vectors(["returns", "socket"]), opened.question_vectors(["returns", "socket"])
    ratios = np.linalg.norm(asked, axis=1) / np.linalg.norm(plain, axis=1)
    assert ratios[0] < ratios[1]
    assert np.allclose(asked, plain * ratios[:, None], atol=1e-6)


def test_a_word_vector_does_not_depend_on_its_neighbours() -> None:
    """Asked alone, in another order, or again from memory, a word has the same bits."""
    path = bundled.model_path()
    opened = Bundled("test", path)
    words = ["serialization", "a", "kwargs", "ünïcode"]
    together = opened.word_vectors(words)
    for index, word in reversed(list(enumerate(words))):
        assert Bundled("test", path).word_vectors([word])[0].tobytes() == together[index].tobytes()
    assert opened.word_vectors(words).tobytes() == together.tobytes()


def test_the_identity_names_the_pinned_file() -> None:
    """The cheap identity and the hash checked on loading are the same."""
    name, version, digest = embed.identity_of("bundled", Path("/")).split(":")
    assert (name, version) == ("bundled", bundled.NAME.removesuffix(".safetensors"))
    assert bundled.SHA256.startswith(digest)
    assert len(digest) == 16


def test_the_bundled_model_is_small() -> None:
    """The package carries at most ten million bytes of it."""
    assert bundled.model_path().stat().st_size <= 10_000_000


def test_the_bundled_model_needs_no_tokenizer_library() -> None:
    """Embedding with the default loads numpy and nothing else of weight."""
    code = (
        "import sys, pathlib, everdex.embed as e;"
        "e.open_embedder('bundled', pathlib.Path('/')).word_vectors(['socket', 'zzxqj']);"
        "assert 'numpy' in sys.modules and not {'tokenizers', 'safetensors', 'scipy'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_identity_is_told_without_numpy() -> None:
    """Asking which embedder is meant loads neither numpy nor a model."""
    code = (
        "import sys, pathlib, everdex.embed as e; e.identity_of('bundled', pathlib.Path('/'));"
        "assert not {'numpy', 'tokenizers', 'everdex.embed.bundled'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("how", ["missing", "truncated", "flipped", "empty", "foreign"])
def test_a_wrong_model_file_is_named(tmp_path: Path, how: str) -> None:
    """A missing, truncated, altered, empty or foreign model file is refused by name."""
    path = tmp_path / bundled.NAME
    content = bytearray(bundled.model_path().read_bytes())
    if how == "truncated":
        path.write_bytes(content[: len(content) // 2])
    elif how == "flipped":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    elif how == "foreign":
        safetensors(path, table=np.zeros((4, 4), dtype=np.float32))
    elif how == "empty":
        path.write_bytes(b"")
    with pytest.raises(EmbedderUnavailable, match=bundled.NAME):
        Bundled("test", path)


def test_a_model_of_another_shape_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file that carries the right hash but not the right tables is still not used."""
    path = tmp_path / bundled.NAME
    for tensors in (
        {"table": np.zeros((4, 4), dtype=np.float32)},
        dict.fromkeys(("table", "scales", "asking", "vocabulary"), np.zeros((4, 4), dtype=np.float32)),
    ):
        safetensors(path, **tensors)
        monkeypatch.setattr(bundled, "SHA256", hashlib.sha256(path.read_bytes()).hexdigest())
        with pytest.raises(EmbedderUnavailable, match=bundled.NAME):
            Bundled("test", path)


def test_a_local_model2vec_directory_is_used(model: Path) -> None:
    """Words get their rows, unknown words get zeros, and the tokenizer is the model's own."""
    opened = embed.open_embedder("model2vec:model", model.parent)
    assert opened is not None
    assert opened.word_vectors(["blue", "red", "green"]).tolist() == [[0, 2], [1, 0], [0, 0]]
    assert opened.identity.startswith("model2vec:")


def test_mapping_and_weights_of_newer_models_are_followed(model: Path) -> None:
    """Pieces may share rows and weigh differently."""
    safetensors(
        model / "model.safetensors",
        embeddings=np.array([[9, 9], [1, 3]], dtype=np.float16),
        mapping=np.array([0, 1, 1], dtype=np.int64),
        weights=np.array([1, 0.5, 2], dtype=np.float32),
    )
    opened = embed.open_embedder(f"model2vec:{model}", Path("/"))
    assert opened is not None
    assert opened.word_vectors(["red", "blue"]).tolist() == [[0.5, 1.5], [2, 6]]


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_model2vec_identity_follows_the_content(model: Path, name: str) -> None:
    """Any change to a model file makes another identity; a copy elsewhere does not."""
    before = embed.identity_of("model2vec:model", model.parent)
    shutil.copytree(model, model.parent / "copy")
    assert embed.identity_of("model2vec:copy", model.parent) == before
    with open(model / name, "ab") as stream:
        stream.write(b" ")
    assert embed.identity_of("model2vec:model", model.parent) != before


def header(text: bytes) -> bytes:
    return len(text).to_bytes(8, "little") + text


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("model.safetensors", b""),
        ("model.safetensors", b"\xff" * 64),
        ("model.safetensors", header(b"{}")),
        ("model.safetensors", header(b'{"embeddings":{"dtype":"F32","shape":[9],"data_offsets":[0,36]}}') + b"0" * 36),
        ("model.safetensors", header(b'{"embeddings":{"dtype":"F32","shape":[999,9],"data_offsets":[0,35964]}}')),
        (
            "model.safetensors",
            header(b'{"embeddings":{"dtype":"F32","shape":[2,2],"data_offsets":[-16,0]}}') + b"0" * 16,
        ),
        ("tokenizer.json", b"{"),
        ("tokenizer.json", b"[" * 100_000),
        ("tokenizer.json", b'{"model": {"vocab": 3}}'),
    ],
)
def test_a_damaged_model2vec_file_is_named(model: Path, name: str, content: bytes) -> None:
    """Whatever is in the model directory, the answer is a named refusal, never a crash."""
    (model / name).write_bytes(content)

    def use() -> None:
        opened = embed.open_embedder("model2vec:model", model.parent)
        assert opened is not None
        opened.word_vectors(["red"])

    with pytest.raises(EmbedderUnavailable, match=name):
        use()


REPLACE = {"type": "Replace", "pattern": {"String": "e"}, "content": "e" * 200}


@pytest.mark.parametrize(
    "step",
    [
        {"normalizer": {"type": "Replace", "pattern": {"Regex": "(a|a|aa)+$"}, "content": ""}},
        {"normalizer": {"type": "Precompiled", "precompiled_charsmap": "AAAAAAAA"}},
        {"model": {"type": "WordLevel", "vocab": {"red": 1}, "unk_token": "[UNK]"}},
        {"normalizer": REPLACE | {"content": "e" * 2_000}},
        {"normalizer": {"type": "Sequence", "normalizers": [REPLACE] * 4}},
        {"normalizer": {"type": "Sequence", "normalizers": [{"type": "Sequence", "normalizers": [REPLACE]}] * 4}},
    ],
)  # fmt: skip
def test_a_tokenizer_that_fails_at_work_is_refused(model: Path, step: dict[str, object]) -> None:
    """One that panics, gives up or makes a word a million times as long ends in a refusal that names it."""
    path = model / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | step))
    with pytest.raises(EmbedderUnavailable, match="tokenizer"):
        embed.open_embedder(f"model2vec:{model}", Path("/")).word_vectors(["red", "e" * 60, "a" * 60 + "!"])


def test_a_model_file_without_end_is_not_read(model: Path) -> None:
    """A file of no content and a terabyte is refused by its size, before its hash is taken."""
    os.truncate(model / "model.safetensors", 1 << 40)
    with pytest.raises(EmbedderUnavailable, match=r"model\.safetensors is larger than"):
        embed.identity_of(f"model2vec:{model}", Path("/"))


def test_a_table_smaller_than_its_vocabulary_is_refused(model: Path) -> None:
    """A piece without a row is an error, not somebody else's row."""
    safetensors(model / "model.safetensors", embeddings=np.ones((2, 2), dtype=np.float32))
    opened = embed.open_embedder("model2vec:model", model.parent)
    assert opened is not None
    with pytest.raises(EmbedderUnavailable, match=r"tokenizer\.json"):
        opened.word_vectors(["blue"])


def test_a_repository_cannot_point_its_model_outside(model: Path, tmp_path: Path) -> None:
    """A link out of the root, or a FIFO in place of a file, is refused."""
    root = tmp_path / "root"
    root.mkdir()
    (root / "linked").symlink_to(model)
    with pytest.raises(EmbedderUnavailable, match="outside"):
        embed.identity_of("model2vec:linked", root)
    (model / "config.json").unlink()
    os.mkfifo(model / "config.json")
    with pytest.raises(EmbedderUnavailable, match="regular"):
        embed.identity_of("model2vec:model", tmp_path)


def test_other_choices() -> None:
    """`none` means lexical only; an unknown embedder is a configuration error."""
    assert embed.open_embedder("none", Path("/")) is None
    assert embed.identity_of("none", Path("/")) == "none"
    with pytest.raises(ConfigError, match="gpt"):
        embed.identity_of("gpt", Path("/"))
