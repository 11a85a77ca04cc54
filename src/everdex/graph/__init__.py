"""Who uses what: resolves the files' facts against each other, keeps the answers by digest, and walks them.

Reads a snapshot through its view and owns only derived files that can be made again.
"""
