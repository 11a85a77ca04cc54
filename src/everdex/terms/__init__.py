"""Text to words: identifiers are split, words stemmed, and counted once for search and embedding alike."""
