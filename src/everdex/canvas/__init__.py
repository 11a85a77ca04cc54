"""Pictures of a repository for people and for agents that see images: models, layouts, scenes, and SVG or PNG of them.

A picture is a function of what it shows: the same answers give the same bytes. Names come from the repository, so none
of them is trusted. Nothing here opens a store but the canvas directory of one.
"""
