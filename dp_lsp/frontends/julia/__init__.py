"""The front end for Julia.

``chunks.chunks`` cuts a file into top-level pieces (without a parser), ``parse.parse`` makes
surface nodes of one.
"""
