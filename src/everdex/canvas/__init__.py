"""What people look at, and agents that see images: pictures of a repository, and the evidence board.

    what is shown       survey (files and their uses; crates of Rust) → outline (boxes) → architecture · impact
    where it stands     order (cycles and levels) → layers (boxes in rows) → blueprint (architecture) · ripples (impact)
    how it looks        scene (shapes) · sheet (heading, key, caption) · lettering · inks → svg · png
    what is kept        keep (the canvas directory) · meta (graph_meta.json)
    board, explorer     the evidence board; the page to walk a repository in

A picture is a function of what it shows: the same answers give the same bytes. Names come from the repository, so none
of them is trusted. Nothing here opens a store but the canvas directory of one.
"""
