"""A check in a process of its own.

Hover stays fast, and no input takes the server down. A superseded check stops by itself at its next look at a flag;
only one that does not is killed.

Problems and states come first. What takes longer, bounds and what is known of expressions, is awaited then
(:mod:`dp_lsp.later`): it comes record by record after the check, gives way to whatever else is asked for, and
is put in its place in the analyses that are there. Who asks for it before is answered when it has come
(``lsp/requests.py``). What is known of the names and expressions of the one or two items that an edit leaves takes
little, and comes with their problems: hover just after it need not wait for anything. Of a long file that was just
opened the problems found so far are told while its first check goes on; nothing else is, as what holds of a file is
known at the end.

What was found out outlives the process: a record is told as soon as it is there, and the server tells a new process
what the one before knew, records and digests of what names mean. So the new one parses, and infers no more than was
edited and what that is made of; a meaning is not sent, as it holds the trees of all that it calls.
"""

import dp_lsp.cache  # noqa: F401 (which notes the time)
