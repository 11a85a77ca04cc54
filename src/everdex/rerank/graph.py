"""The encoder of all-MiniLM-L6-v2 as an int8 ONNX graph, written node by node from its weights: no torch, no export.

One text goes in as a row of piece ids and one direction comes out (mean over the pieces, length 1). There is no
batch: a quantised activation's scale depends on everything in its tensor, so a neighbour or a pad would bend a
text's vector. The bytes depend on the weights and on this file only.
"""

from __future__ import annotations

from typing import Any, Final

from everdex.embed.tables import Tensors
from everdex.numeric import np, npt

LAYERS: Final = 6
HEADS: Final = 12
DIM: Final = 384
MAX_PIECES: Final = 128
_HEAD_DIM: Final = DIM // HEADS
_EPSILON: Final = 1e-12
_OPSET: Final = 20
_IR_VERSION: Final = 10
_LOOKED_UP: Final = 127
# Seven bits: two products with the activations' eight fit in the 16 that processors without VNNI add them up in.
_MULTIPLIED: Final = 63

Floats = npt.NDArray[np.float32]


def build(tensors: Tensors) -> bytes:
    """The serialised graph: input `pieces` (int64, one dimension), output `direction` (384 floats)."""
    from onnx import TensorProto, checker, helper

    graph = _Graph()
    hidden = _embeddings(graph, tensors)
    for layer in range(LAYERS):
        hidden = _layer(graph, tensors, f"encoder.layer.{layer}", hidden)
    mean = graph.add("ReduceMean", hidden, graph.constant(np.array([0], dtype=np.int64)), keepdims=0)
    graph.add("LpNormalization", mean, output="direction", axis=0, p=2)
    model = helper.make_model(
        helper.make_graph(
            graph.nodes,
            "all-MiniLM-L6-v2",
            [helper.make_tensor_value_info("pieces", TensorProto.INT64, ["length"])],
            [helper.make_tensor_value_info("direction", TensorProto.FLOAT, [DIM])],
            graph.constants,
        ),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    checker.check_model(model, full_check=True)
    serialized: bytes = model.SerializeToString(deterministic=True)
    return serialized


class _Graph:
    """Nodes and constants in the order in which they are needed; every result gets a number for a name."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def constant(self, values: npt.NDArray[Any]) -> str:
        from onnx import numpy_helper

        name = f"c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, *inputs: str, output: str | None = None, **attributes: Any) -> str:
        return self.add_many(operator, inputs, 1, [output] if output else None, **attributes)[0]

    def add_many(
        self, operator: str, inputs: tuple[str, ...], count: int, names: list[str] | None = None, **attributes: Any
    ) -> list[str]:
        from onnx import helper

        outputs = names or [f"n{len(self.nodes)}.{place}" for place in range(count)]
        self.nodes.append(helper.make_node(operator, list(inputs), outputs, **attributes))
        return outputs

    def linear(self, hidden: str, weight: npt.NDArray[Any], bias: npt.NDArray[Any]) -> str:
        """hidden @ weight.T + bias in whole numbers; the pattern that onnxruntime turns into one kernel."""
        from onnx import TensorProto

        columns, scales = _int8_rows(weight, _MULTIPLIED)
        rounded, step, zero = self.add_many("DynamicQuantizeLinear", (hidden,), 3)
        product = self.add("MatMulInteger", rounded, self.constant(columns.T), zero)
        factor = self.add("Mul", step, self.constant(scales))
        scaled = self.add("Mul", self.add("Cast", product, to=TensorProto.FLOAT), factor)
        return self.add("Add", scaled, self.constant(bias.astype(np.float32)))

    def normalized(self, hidden: str, tensors: Tensors, prefix: str) -> str:
        weight, bias = (self.constant(tensors[f"{prefix}.LayerNorm.{part}"]) for part in ("weight", "bias"))
        return self.add("LayerNormalization", hidden, weight, bias, axis=-1, epsilon=_EPSILON)


def _embeddings(graph: _Graph, tensors: Tensors) -> str:
    from onnx import TensorProto

    rows, scales = _int8_rows(tensors["embeddings.word_embeddings.weight"], _LOOKED_UP)
    words = graph.add("Cast", graph.add("Gather", graph.constant(rows), "pieces"), to=TensorProto.FLOAT)
    words = graph.add("Mul", words, graph.add("Gather", graph.constant(scales[:, None]), "pieces"))
    # Every text is one sentence, so the first token type is part of every place.
    places = tensors["embeddings.position_embeddings.weight"][:MAX_PIECES]
    places = places + tensors["embeddings.token_type_embeddings.weight"][0]
    zero = graph.constant(np.array([0], dtype=np.int64))
    used = graph.add("Slice", graph.constant(places), zero, graph.add("Shape", "pieces"))
    return graph.normalized(graph.add("Add", words, used), tensors, "embeddings")


def _layer(graph: _Graph, tensors: Tensors, prefix: str, hidden: str) -> str:
    def dense(name: str, given: str) -> str:
        return graph.linear(given, tensors[f"{prefix}.{name}.weight"], tensors[f"{prefix}.{name}.bias"])

    attended = dense("attention.output.dense", _attention(graph, tensors, f"{prefix}.attention.self", hidden))
    middle = graph.normalized(graph.add("Add", attended, hidden), tensors, f"{prefix}.attention.output")
    wide = graph.add("Gelu", dense("intermediate.dense", middle))
    return graph.normalized(graph.add("Add", dense("output.dense", wide), middle), tensors, f"{prefix}.output")


def _attention(graph: _Graph, tensors: Tensors, prefix: str, hidden: str) -> str:
    weights = [tensors[f"{prefix}.{name}.weight"] for name in ("query", "key", "value")]
    biases = [tensors[f"{prefix}.{name}.bias"] for name in ("query", "key", "value")]
    # The scale of the scores goes into the query's weights: one multiplication less for every pair of pieces.
    share = np.float32(_HEAD_DIM**-0.5)
    weights[0], biases[0] = weights[0] * share, biases[0] * share
    joined = graph.linear(hidden, np.concatenate(weights), np.concatenate(biases))
    shape = graph.constant(np.array([0, HEADS, _HEAD_DIM], dtype=np.int64))
    query, key, value = (
        graph.add("Reshape", part, shape) for part in graph.add_many("Split", (joined,), 3, axis=1, num_outputs=3)
    )
    query = graph.add("Transpose", query, perm=[1, 0, 2])
    key = graph.add("Transpose", key, perm=[1, 2, 0])
    value = graph.add("Transpose", value, perm=[1, 0, 2])
    shares = graph.add("Softmax", graph.add("MatMul", query, key), axis=-1)
    mixed = graph.add("Transpose", graph.add("MatMul", shares, value), perm=[1, 0, 2])
    return graph.add("Reshape", mixed, graph.constant(np.array([0, DIM], dtype=np.int64)))


def _int8_rows(matrix: npt.NDArray[Any], levels: int) -> tuple[npt.NDArray[np.int8], Floats]:
    """Each row as int8 with the scale that brings it back."""
    scales = (np.abs(matrix).max(axis=1) / levels).astype(np.float32)
    scales[scales == 0] = 1.0
    return np.rint(matrix / scales[:, None]).astype(np.int8), scales
