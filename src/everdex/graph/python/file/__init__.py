"""One file by itself: its scopes, bindings, flows, parts and nodes, and the keys under which others read it."""
