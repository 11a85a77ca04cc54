"""The forms in which facts and graphs are kept on disk: columns, tables and lists of files, each read where it is
asked for.
"""
