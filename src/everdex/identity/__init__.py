"""Names for things: chunk ids, row ids, stable chunk uids and the Merkle digest. Pure functions."""
