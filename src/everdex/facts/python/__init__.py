"""What a Python file says of itself, and how it is written down.

Nothing is imported here: who reads facts (model) needs nothing of what makes them (extraction).
"""
