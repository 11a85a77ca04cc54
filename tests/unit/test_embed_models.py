"""Opening embedders: the pinned table, local model2vec directories, and files that are not what they should be."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from everdex import embed
from everdex.embed import wordllama
from everdex.embed.wordllama import WordLlama
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


def test_wordllama_gives_words_their_meaning() -> None:
    """The bundled table puts related words nearer than unrelated ones, and splits what it does not know."""
    opened = embed.open_embedder("wordllama", Path("/"))
    assert opened is not None
    assert opened.dim == 256
    vectors = opened.word_vectors(["car", "vehicle", "parliament", "zzxqj", "用户", ""])
    units = vectors[:5] / np.linalg.norm(vectors[:5], axis=1)[:, None]
    assert units[0] @ units[1] > units[0] @ units[2]
    assert np.isfinite(vectors).all()


def test_a_word_vector_does_not_depend_on_its_neighbours() -> None:
    """Asked alone, in another order, or again from memory, a word has the same bits."""
    opened = embed.open_embedder("wordllama", Path("/"))
    assert opened is not None
    words = ["serialization", "a", "kwargs", "ünïcode"]
    together = opened.word_vectors(words)
    for index, word in reversed(list(enumerate(words))):
        fresh = embed.open_embedder("wordllama", Path("/"))
        assert fresh is not None
        assert fresh.word_vectors([word])[0].tobytes() == together[index].tobytes()
    assert opened.word_vectors(words).tobytes() == together.tobytes()


def test_the_identity_names_the_pinned_files() -> None:
    """The cheap identity and the hashes checked on loading are the same."""
    identity = embed.identity_of("wordllama", Path("/"))
    assert wordllama.WEIGHTS_SHA256[:16] in identity
    assert wordllama.TOKENIZER_SHA256[:16] in identity


def test_identity_is_told_without_numpy() -> None:
    """Asking which embedder is meant loads neither numpy nor a tokenizer."""
    code = (
        "import sys, pathlib, everdex.embed as e; e.identity_of('wordllama', pathlib.Path('/'));"
        "assert not {'numpy', 'tokenizers', 'wordllama'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("damaged", [wordllama.WEIGHTS, wordllama.TOKENIZER])
@pytest.mark.parametrize("how", ["missing", "truncated", "flipped", "empty"])
def test_a_wrong_wordllama_file_is_named(tmp_path: Path, damaged: str, how: str) -> None:
    """A missing, truncated, altered or empty model file is refused by name."""
    for name in (wordllama.WEIGHTS, wordllama.TOKENIZER):
        (tmp_path / name).parent.mkdir()
        shutil.copy(wordllama.package_directory() / name, tmp_path / name)
    path = tmp_path / damaged
    content = bytearray(path.read_bytes())
    if how == "missing":
        path.unlink()
    elif how == "truncated":
        os.truncate(path, len(content) // 2)
    elif how == "flipped":
        content[len(content) // 2] ^= 1
        path.write_bytes(content)
    else:
        path.write_bytes(b"")
    with pytest.raises(EmbedderUnavailable, match=Path(damaged).name):
        WordLlama("test", tmp_path)


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
