"""The daemon: one process a store that answers many clients from a warm index over a unix socket.

    a client            thin, thin_pictures (import nothing) · client (Python) · start (start a daemon and wait)
    on the wire         wire (frames) · protocol (requests, checked) · replies (JSON or rendered text)
    the process         server (connections) → admission (who waits) → methods (the table of questions) · touched
    searches            lanes (this process, or a helper) → helper (a process that searches)
    graphs              graphs (when, and who waits) → making (one run) → grapher (the process that makes them)
    unasked             background (index, tidy, memory) · jobs (refreshes) · indexers (SCIP) · metrics
    processes           beside (how helpers, graphers and daemons are started, and report)
"""
