"""The only room that imports MkDocs: it wires the prose room and the figures into a site."""
