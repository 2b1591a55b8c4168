"""The paper's experiments: which runs they need, how the runs are made, and the report on them."""
