"""The whole graph for other programs: JSON, SCIP, dot and tags."""
