"""Every place of a file that names or runs something, with its answer; pytest's fixtures are pass 6."""
