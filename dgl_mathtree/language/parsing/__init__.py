"""How text becomes a tree: tokens, precedence, calls, and the errors that say what was not understood and where."""
