"""The recursive cells, one a file: a cell is a pure step from the states of the children to the state of a node."""
