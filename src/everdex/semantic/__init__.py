"""What indexers that know types say of a tree: read, checked against the bytes that we have, and kept by content."""
