"""Front ends, one folder a source language: a text to chunks, a chunk to surface nodes."""
