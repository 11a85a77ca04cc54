"""From a snapshot to its graph: resolvers at work on one file after another, in one process or several, from the
nearest kept graph.
"""
