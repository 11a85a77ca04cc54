"""What a graph says of one definition: uses, callers, impact, and what each list may lack; also before the graph is
finished.
"""
