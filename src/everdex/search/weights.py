"""Every ranking weight, in one place, with what it is worth.

A score is the sum of weight × feature; features lie between 0 and 1 (lexical, dense and file features are
divided by their best value for the query). `benchmarks/search/fit.py` fits the weights of each kind of question on
questions of that kind, by coordinate ascent on other repositories than those it scores. ACTION is the mean of such fits
(with an older table), what came out just below 0 set to 0. NATURAL is older: fitted to files alone `lexical` came near
0, and new fits of all its weights brought nothing. Its `dense` and its share of the file's mean are the means of what
eight folds of repositories chose for the table that is shipped, all else as it was: .8981 on the development set and
.6782 on the docstring set, held out, where .56 and 1 reached .8936 and .6766 (docs/model-card.md).
`benchmarks/RESULTS.md` has what each feature brings. `code` was set by hand (docs/adr/0018-what-code-does.md).

Tried and left out, as differences in NDCG@10 on the development set: a file's weight in the graph (PageRank over who
refers to what) brings +.003 when its weight is chosen there and -.001 when it is chosen on other repositories; words
of names and paths weighed by how rare they are -.006; the directories' words -.000; the share of the query's words that
a chunk or a file has -.002; the file's best cosine +.001; functions before other chunks -.003, so that they stand
before for what code does only. docs/adr/0018-what-code-does.md has more.
"""

from __future__ import annotations

from typing import Final

import msgspec
from msgspec.structs import replace

from everdex.search.bm25 import Bm25Settings
from everdex.search.query import Intent

# Field weights of body, name, path, doc and signature.
BM25: Final = Bm25Settings(field_weights=(1.0, 3.0, 3.0, 1.0, 1.0), file_length_share=0.6)

LEXICAL_CANDIDATES: Final = 80
DENSE_CANDIDATES: Final = 40
FILE_CANDIDATES: Final = 25
DEFINITION_CANDIDATES: Final = 50

# More than all else brings: what says just what was asked stands first, in the order that all else gives.
VERBATIM: Final = 4.0

# A name of several words that nothing has, and that is a letter or two away from one that something has: meant is that.
# Of 233 names of caddy, halo, monica and nushell with one letter wrong 59 % of the definitions stood first when it
# counted like a definition that the query covers, and 97 % do (MRR .71 and .98).
MISSPELT: Final = 3.0

# A result keeps this share ** n of what its file as a whole brings when n others of the file stand above it. What the
# chunk itself brings it keeps: with all of a score cut in half NDCG@10 was .003 higher on the development set, where
# files are asked for, and .05 lower on the docstring set, where functions are.
SATURATION: Final = 0.5


class Weights(msgspec.Struct, frozen=True):
    """How much each feature counts for one kind of question."""

    lexical: float  # BM25F of the chunk
    file_lexical: float  # BM25 of the whole file: several hits in one file cohere
    dense: float  # cosine of the chunk
    size: float  # a file of many chunks is more often the answer
    stem: float  # share of the file name's words that the query has
    stem_query: float  # share of the query's words that the file name has
    defines: float  # a definition in the chunk whose name and the query cover each other
    defines_exactly: float  # the very name, case and all, of a function or type
    function: float  # the chunk is functions, not types or values
    code: float  # how much code the chunk has: what does something is longer than what declares it
    path: float  # the query is a path and this is it
    roles: tuple[tuple[str, float], ...]  # test, example, doc, config, generated, vendored
    header: float  # .h, .d.ts, .pyi: declarations of what is elsewhere


_ROLES: Final = (
    ("test", -0.4), ("example", -0.3), ("doc", -0.7), ("config", -0.3), ("generated", -0.3), ("vendored", -0.3),
    ("migration", -0.3),
)  # fmt: skip
NATURAL: Final = Weights(
    lexical=0.15, file_lexical=0.48, dense=0.7, size=0.41, stem=0.18, stem_query=0.42,
    defines=0.47, defines_exactly=0.15, function=0.0, code=0.0, path=1.0, header=-0.3, roles=_ROLES,
)  # fmt: skip
ACTION: Final = Weights(
    lexical=0.36, file_lexical=0.23, dense=0.7, size=0.0, stem=0.09, stem_query=0.0,
    defines=0.99, defines_exactly=0.0, function=0.38, code=0.15, path=1.0, header=-0.3, roles=_ROLES,
)  # fmt: skip
SYMBOL: Final = Weights(
    lexical=1.0, file_lexical=0.5, dense=0.1, size=0.0, stem=0.85, stem_query=0.0,
    defines=0.4, defines_exactly=0.45, function=0.0, code=0.0, path=1.0, header=0.0,
    roles=(("test", -0.3), ("example", -0.3), ("doc", -0.3), ("config", -0.3), ("generated", -0.3),
           ("vendored", -0.3), ("migration", -0.3)),
)  # fmt: skip
BY_INTENT: Final = {
    Intent.NATURAL: NATURAL,
    Intent.ACTION: ACTION,
    Intent.ERROR: NATURAL,
    Intent.SYMBOL: SYMBOL,
    Intent.PATH: SYMBOL,
}

# By which the candidates of one file change places among themselves when a subject is asked for: the file was chosen as
# a subject's, the chunk of it is asked of functions. The weights are those fitted to what code does, none is new.
WITHIN: Final = {Intent.NATURAL: ACTION, Intent.ERROR: ACTION}

# How much of its file's mean vector a chunk's has: a subject is asked of files, what code does of functions.
FILE_MEAN: Final = {
    Intent.NATURAL: 2.0, Intent.ACTION: 1.0, Intent.ERROR: 2.0, Intent.SYMBOL: 1.0, Intent.PATH: 1.0,
}  # fmt: skip


def scaled(dense_weight: float) -> dict[Intent, Weights]:
    """The weights with vectors counting so many times what they were fitted to."""
    return {intent: replace(chosen, dense=dense_weight * chosen.dense) for intent, chosen in BY_INTENT.items()}


# What a small transformer's second look (everdex[rerank]) at the best results may add to a score. Sentences gain
# .014 on the docstring set at .3 (folds choose .2 or .3 there, .5 or .6 on the development set, where nothing is
# certain); lone names lost .006 at weight .1 and .013 at .5. Table in docs/adr/0012-reranker.md.
RERANKED: Final = 50
RERANK: Final = {
    Intent.NATURAL: 0.3, Intent.ACTION: 0.3, Intent.ERROR: 0.3, Intent.SYMBOL: 0.0, Intent.PATH: 0.0,
}  # fmt: skip
