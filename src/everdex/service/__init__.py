"""The façade between surfaces and all other rooms: `index.py` is the way in, and every answer has one module.

    an index            index (Index, Reading) · answers (the envelope of all of them) · describe (other bodies)
                        paging (how much one answer holds)
    a question          kept (views) → reader (answers from them, the one way to any) → warm (asked once, or kept for a
                        process) · resident (kept for a daemon)
    search              searcher
    symbols             symbols (definitions) · starred (that fit a pattern) · named (with references)
                        meant (several or none fit)
    the graph           opening (open or make one) · relations (all questions) · begun (answers before it is finished)
                        occurrences (places as JSON) · coverage (what an answer could not take into account)
    its other forms     wanted (how a picture is) → picturing · exploring · exporting · renaming (a plan)
                        applying (a plan carried out)
    files               mutation (states and the gate) · boarding (the evidence board)
    agents at work      notice (what changed, who uses it) · caution (the gate, in short) · dependents
    jobs                refreshing · contexts · indexing (run an indexer) · semantics (import a SCIP index) · work
    the machine         maintain (health, repair, gc, …) · doctor · rendezvous (where a store's daemon is found)

Nothing is imported here: the thin client only looks up where a daemon is, and must start as fast as an empty Python.
"""
