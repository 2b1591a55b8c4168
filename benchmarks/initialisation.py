"""What fresh weights do to signal and gradient on test equations of depth 12 and 13.

    python benchmarks/initialisation.py

For each model: the standard deviation of a node's vector over nodes, by height, and the norm of the gradient that
reaches the leaves from a random direction at the sides. A signal that fades or saturates, or a gradient that
vanishes or explodes, with height is what an initialisation has to avoid.
"""

from __future__ import annotations

import numpy as np
import torch

from dgl_mathtree.data.data_files import read_card, read_rows
from dgl_mathtree.graphs import batch_graph
from dgl_mathtree.language import Forest
from dgl_mathtree.nn import MODELS, TreeEncoder, drivers, make_verifier

SIZE, EQUATIONS = 50, 200
HEIGHTS = (0, 1, 3, 5, 8, 11)


def main() -> None:
    torch.set_num_threads(1)
    symbols = read_card("paper")["symbols"]
    rows = [row for row in read_rows("paper", "test") if row.depth >= 12][:EQUATIONS]
    forest = Forest.of(row.parsed() for row in rows)
    batch = batch_graph(forest, np.arange(len(rows)))
    height = torch.from_numpy(forest.take(np.arange(len(rows))).height)
    print(f"{'model':<26}{'embeddings':>10}  deviation at height " + "".join(f"{h:>8}" for h in HEIGHTS) + "  gradient")
    for name, model in MODELS.items():
        torch.manual_seed(0)
        if model.is_baseline:
            continue
        encoder = make_verifier(name, SIZE, symbols).encoder
        if not isinstance(encoder, TreeEncoder):
            continue
        leaves = encoder.leaf_states(batch).detach().requires_grad_()
        vectors = drivers.run(encoder.cell, batch.plan, leaves, batch.plan.row)[:, :SIZE]
        sides = vectors[batch.sides.reshape(-1)]
        (gradient,) = torch.autograd.grad((sides * torch.randn_like(sides)).sum(), leaves)
        deviations = [vectors[height == h].std(dim=0).mean().item() for h in HEIGHTS]
        shown = "".join(f"{deviation:>8.4f}" for deviation in deviations)
        print(f"{name:<26}{model.scale:>10}  {'':<19} {shown}  {gradient.norm().item():.3g}")


if __name__ == "__main__":
    main()
