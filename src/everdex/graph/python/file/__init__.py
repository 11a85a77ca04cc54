"""One file by itself, before anything of others is asked: its scopes, bindings, flows, parts, and the keys under which
others read it.
"""
