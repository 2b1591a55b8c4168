"""Pages: the explanation of an equation, and the local playground with its JSON API."""
