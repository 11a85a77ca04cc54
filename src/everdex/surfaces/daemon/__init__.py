"""The daemon: one process a store that answers many clients from a warm index over a unix socket."""
