"""Pass 4, continued: what lists, tuples, sets, dicts and generators hold, and what comes out of them."""
