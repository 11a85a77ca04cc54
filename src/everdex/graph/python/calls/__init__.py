"""Pass 4: what a call gives back, and what the parameters of a function may be, from the calls that are known."""
