from __future__ import annotations

import numpy as np
import pytest
import torch

from dgl_mathtree.training.objectives.contrast import contrast, relations

KEYS = np.array([[1, 2], [1, 2], [1, 0], [1, 3], [4, 5], [0, 0]])


def _matrix(pairs: torch.Tensor, count: int) -> torch.Tensor:
    """(nodes, nodes) whether a pair is listed."""
    found = torch.zeros(count, count, dtype=torch.bool)
    found[pairs[0], pairs[1]] = True
    assert found.sum() == pairs.shape[1]  # each is listed once
    return found


def _related(a: np.ndarray, b: np.ndarray) -> str:
    """What `dgl_mathtree.oracle.value_keys` says of two keys."""
    both = (a != 0) & (b != 0)
    agreeing = (a == b) & both
    if agreeing.any() and (agreeing == both).all():
        return "same"
    return "open" if agreeing.any() or not both.any() else "different"


def test_relations_follow_the_keys() -> None:
    same, open_ = (_matrix(pairs, len(KEYS)) for pairs in relations(KEYS))
    assert same[0].tolist() == [False, True, True, False, False, False]
    assert open_[0].tolist() == [False, False, False, True, False, True]  # a branch, and nothing in common
    assert not same[5].any()


@pytest.mark.parametrize("seed", range(6))
def test_relations_are_those_of_all_pairs(seed: int) -> None:
    rng = np.random.default_rng(seed)
    keys = rng.integers(1, 4 + 3 * seed, (40, 1)) * np.ones((1, 3), dtype=np.int64)
    keys = np.where(rng.random(keys.shape) < 0.1, rng.integers(1, 9, keys.shape), keys)
    keys = np.where(rng.random(keys.shape) < 0.08 * seed, 0, keys)
    same, open_ = (_matrix(pairs, len(keys)) for pairs in relations(keys))
    for i in range(len(keys)):
        for j in range(len(keys)):
            expected = "different" if i == j else _related(keys[i], keys[j])
            assert (bool(same[i, j]), bool(open_[i, j])) == (expected == "same", expected == "open")


def _plain(h: torch.Tensor, same: torch.Tensor, open_: torch.Tensor, temperature: float) -> torch.Tensor:
    """The term as it is printed, node by node."""
    same, open_ = (_matrix(pairs, len(h)) for pairs in (same, open_))
    same.fill_diagonal_(True)
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
