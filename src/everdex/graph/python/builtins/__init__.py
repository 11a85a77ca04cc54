"""Pass 5: what builtins, operators and libraries do with what they are given."""
