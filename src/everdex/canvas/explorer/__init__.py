"""The explorer: one HTML page in which a person walks a repository offline, from its parts to the places of a use.

`walk` reads what there is to tell, `fitting` chooses what a page of so many bytes can hold and counts the rest, and
`page` writes it with the files of `script/` and `explorer.css`, as they lie here.
"""
