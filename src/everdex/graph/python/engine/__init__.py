"""Asks the passes for answers and remembers each with what it was read from. What answers are made of."""
