"""all-MiniLM-L6-v2 ready to run: a text's direction, eight bits a number, in one thread per text.

A text's direction depends on the text alone, never on its neighbours or on how many threads run.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from everdex.embed.quantize import quantize
from everdex.errors import EmbedderUnavailable, RerankUnavailable
from everdex.numeric import np, npt
from everdex.rerank.artifact import Converted
from everdex.rerank.graph import DIM, MAX_PIECES
from everdex.rerank.weights import TOKENIZER_SHA256

_THREADS: Final = 2
_ONLY_ERRORS: Final = 3


class MiniLm:
    """The encoder and its tokenizer."""

    def __init__(self, model: Converted, tokenizer: str) -> None:
        self.identity = f"minilm-l6-v2:{model.sha256}:{TOKENIZER_SHA256[:16]}:{MAX_PIECES}"
        self._session = _session(model.content)
        self._tokenizer = _tokenizer(tokenizer)

    def directions(self, texts: Sequence[str]) -> npt.NDArray[np.int8]:
        """n × 384, only the first 128 pieces of each text counting."""
        if len(texts) < _THREADS:
            return self._quantized(map(self._direction, texts))
        with ThreadPoolExecutor(_THREADS) as pool:
            return self._quantized(pool.map(self._direction, texts))

    @staticmethod
    def _quantized(directions: Any) -> npt.NDArray[np.int8]:
        return quantize(np.array(list(directions), dtype=np.float32).reshape(-1, DIM))

    def _direction(self, text: str) -> npt.NDArray[np.float32]:
        # A lone surrogate (an argument that was not UTF-8) is no text for the tokenizer.
        whole = text.encode("utf-8", "replace").decode("utf-8")
        pieces = np.array(self._tokenizer.encode(whole).ids, dtype=np.int64)
        direction: npt.NDArray[np.float32] = self._session.run(None, {"pieces": pieces})[0]
        return direction


def _session(model: bytes) -> Any:
    try:
        import onnxruntime

        options = onnxruntime.SessionOptions()
        # Texts run side by side; inside one, more threads would only change the order of sums.
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = _ONLY_ERRORS
        return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise RerankUnavailable(f"onnxruntime cannot load the converted model: {error}") from error


def _tokenizer(document: str) -> Any:
    from tokenizers import Tokenizer

    try:
        tokenizer = Tokenizer.from_str(document)
    except Exception as error:
        raise EmbedderUnavailable(f"the reranker's tokenizer cannot be loaded: {error}") from error
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_PIECES)
    return tokenizer
