"""Questions to ranked answers over one SnapshotView. Reads only; every score can be explained.

    the question        model · check · place · query (kinds and filters) · sentence · obvious
                        courtesy (what asks for nothing) · shapes (globs, heads of definitions)
    candidates          engine → bm25 (words) · dense (vectors) · names (symbols) · filters
                        meant (words that the tree spells in another way)
                        verbatim (what says just what was asked) · filled (messages with values in them)
                        pasted (places, stack traces)
    the order           signals (whole arrays) · features (names and paths) → rank, by weights and profiles
    the answer          about (which line) · titles (what lines are called) · budget (packed for a model)
                        second_look (rerank) · strength
    similar             code like a given place
    regex and literal   grep → regex_syntax, regex_tree, regex_classes (rg's dialect) → required (words a match needs)
                        → candidates (files that have them) → matcher (RE2)
"""
