"""Who uses what: resolves the files' facts against each other, keeps the answers by digest, and walks them.

Reads a snapshot through its view and owns only derived files that can be made again. Each room imports only from those
before it:

    text → stored → definitions → making → answers → overview → export

`model` is the contract between them and the resolvers of languages (`python`, `javascript`, `names`), which `resolvers`
finds by name; `packages` says to which library a name outside belongs.
"""
