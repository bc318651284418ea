"""An oracle for what is claimed of Python: CPython itself. A program is run on neighbouring inputs, and its noise is
written down. What differs (results, prints, failures, what is left changed) is held against the claim.

It shares nothing with the checker. What the words of annotations mean it asks the package ``dp_types``, as programs do
when they run; what is claimed it reads off the report in JSON.
"""
