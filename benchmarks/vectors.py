"""Makes a model2vec folder out of the static table that the `wordllama` package ships.

semble's own model is downloaded at run time; with this folder it runs offline, with a general static table of the
same size as the one that everdex ships. The folder is written below benchmarks/corpora/, which git ignores: the
table is never copied into the repository.
"""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
from pathlib import Path

TABLE = "weights/l2_supercat_256.safetensors"
TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"


def make_model2vec_folder(target: Path) -> Path:
    """Writes the folder unless it is there already, and returns it."""
    if (target / "config.json").exists():
        return target
    import numpy as np
    from safetensors.numpy import load_file, save_file

    # Found without importing it: the package's own loader looks for its files in the wrong place.
    spec = importlib.util.find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("wordllama is not installed: pip install -r benchmarks/requirements.txt")
    package = Path(spec.origin).parent
    target.mkdir(parents=True, exist_ok=True)
    table = load_file(package / TABLE)["embedding.weight"].astype(np.float32)
    save_file({"embeddings": table}, target / "model.safetensors")
    shutil.copyfile(package / TOKENIZER, target / "tokenizer.json")
    # Last, because its presence is what says that the folder is whole.
    config = {"model_type": "model2vec", "normalize": True, "hidden_dim": table.shape[1]}
    (target / "config.json").write_text(json.dumps(config))
    return target


if __name__ == "__main__":
    print(make_model2vec_folder(Path(sys.argv[1])))
