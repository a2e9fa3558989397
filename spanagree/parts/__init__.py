"""Parts of a corpus: each is read and compared by itself, here or by an executor's workers."""
