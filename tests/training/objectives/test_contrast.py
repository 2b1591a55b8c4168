from __future__ import annotations

import numpy as np
import torch

from dgl_mathtree.training.objectives.contrast import contrast, relations

KEYS = np.array([[1, 2], [1, 2], [1, 0], [1, 3], [4, 5], [0, 0]])


def test_relations_follow_the_keys() -> None:
    same, open_ = relations(KEYS)
    assert same[0].tolist() == [True, True, True, False, False, False]
    assert open_[0].tolist() == [False, False, False, True, False, True]  # a branch, and nothing in common
    assert same[5].tolist() == [False] * 5 + [True]
    assert torch.equal(same, same.t()) and torch.equal(open_, open_.t())


def _plain(h: torch.Tensor, same: torch.Tensor, open_: torch.Tensor, temperature: float) -> torch.Tensor:
    """The term as it is printed, node by node."""
    total = h.new_zeros(())
    for i in range(len(h)):
        scores = torch.stack([torch.cosine_similarity(h[i], h[j], dim=0) / temperature for j in range(len(h))])
        total = total + torch.logsumexp(scores[~open_[i]], 0) - scores[same[i]].mean()
    return total / len(h)


def test_the_term_and_its_gradient_are_those_of_the_formula() -> None:
    torch.manual_seed(0)
    h = torch.randn(6, 4, dtype=torch.float64, requires_grad=True)
    same, open_ = relations(KEYS)
    ours, plain = (f(h, same, open_, 0.2) for f in (contrast, _plain))
    torch.testing.assert_close(ours, plain)
    (a,), (b,) = (torch.autograd.grad(loss, [h]) for loss in (ours, plain))
    torch.testing.assert_close(a, b)


def test_a_vector_of_zeros_gives_a_finite_term() -> None:
    h = torch.zeros(6, 4, requires_grad=True)
    loss = contrast(h, *relations(KEYS), 0.1)
    loss.backward()
    assert torch.isfinite(loss) and h.grad is not None and torch.isfinite(h.grad).all()
