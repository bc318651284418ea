"""The front end for Julia.

``chunks.chunks`` cuts a file into top-level pieces (without lark), ``parse.parse`` makes
surface nodes of one.
"""
