"""Looking after stores: health, audit, repair, upgrade, compaction and collection on demand, and whole stores.

Between the view and the service. Nothing here is on the way of a query; each module is imported by its command.
"""
