"""What people look at, and agents that see images: pictures of a repository, and the evidence board.

A picture is a function of what it shows: the same answers give the same bytes. Names come from the repository, so none
of them is trusted. Nothing here opens a store but the canvas directory of one.
"""
