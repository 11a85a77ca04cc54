"""The definitions of a graph: by place, by what people call them, and who else may have a claim on them."""
