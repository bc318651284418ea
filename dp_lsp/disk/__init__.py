"""What is read from the disk, and what is not: no other part of a check opens a file."""
