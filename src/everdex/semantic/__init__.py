"""What semantic indexers (SCIP) say of a tree: read, checked against the bytes that are indexed, and kept by content.

Indexers know types; the resolvers in `graph` read text. Nothing here resolves anything itself: `graph.joining` puts
both together.
"""
