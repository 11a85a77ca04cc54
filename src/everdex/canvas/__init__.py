"""What agents and people look at: the evidence board, and pictures."""
