"""How the bundled embedder is made: fetch, mine, prepare, train, average, evaluate, pack. Never part of the package.

`make embedder` runs the steps in order; each leaves its result below the work directory and is skipped when the
result is there, so an interrupted run goes on where it stopped.
"""
