"""`everdex install`: configuration of agents and git, put in and taken out without losing a byte of the rest."""
