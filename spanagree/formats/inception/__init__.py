"""INCEpTION and WebAnno: project exports, WebAnno TSV 3, UIMA CAS as XMI or JSON."""
