"""What an annotation project asks: who, which documents, how many more, and which gold."""
