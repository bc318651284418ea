"""Finding out is a layer of its own: the engine turns text into records, and :mod:`dp_lsp.analysis` holds the records
as plain data, so the server process loads neither a parser nor inference.
"""
