"""Search quality: NDCG@10 of everdex and its peers over labelled corpora, in one run."""
