"""Text to words: identifier splitting, stemming, and the bags of words that search and embedding share."""
