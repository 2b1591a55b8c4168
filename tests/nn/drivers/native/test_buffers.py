"""Memory that is used again is never in use twice."""

from __future__ import annotations

import threading

import numpy as np
import torch

from dgl_mathtree.nn.drivers.native.buffers import LARGE, MOST_ARRAYS, MOST_BYTES, Pool, zeros_like


def take(pool: Pool, count: int = 10) -> torch.Tensor:
    return pool.take("x", count, torch.float32)


def test_an_array_comes_back_when_nothing_holds_it() -> None:
    pool = Pool()
    first = take(pool)
    address = first.data_ptr()
    assert take(pool).data_ptr() != address
    del first
    assert take(pool, 7).data_ptr() == address


def test_views_arrays_and_graphs_hold_it() -> None:
    pool = Pool()
    first = take(pool)
    address, view = first.data_ptr(), first.view(2, 5)[1]
    del first
    assert take(pool).data_ptr() != address
    held: np.ndarray = view.numpy()
    del view
    assert take(pool).data_ptr() != address
    del held
    weight = torch.ones(10, requires_grad=True)
    again = take(pool)
    assert again.data_ptr() == address
    product = (weight * again).sum()  # saves it
    del again
    assert take(pool).data_ptr() != address
    product.backward()
    assert take(pool).data_ptr() == address


def test_what_is_kept_has_bounds() -> None:
    pool = Pool()
    held = [take(pool) for _ in range(MOST_ARRAYS + 3)]
    assert len({tensor.data_ptr() for tensor in held}) == len(held)
    assert len(pool._arrays["x", torch.float32]) == MOST_ARRAYS
    huge = pool.take("huge", MOST_BYTES, torch.float32)
    assert len(huge) == MOST_BYTES and pool._arrays["huge", torch.float32] == []


def test_a_larger_one_takes_the_place_of_a_smaller() -> None:
    pool = Pool()
    for count in (10, 100, 1000):
        assert len(take(pool, count)) == count
        assert len(pool._arrays["x", torch.float32]) == 1


def test_each_thread_has_its_own() -> None:
    pool = Pool()
    address = take(pool).data_ptr()
    found: list[torch.Tensor] = []
    thread = threading.Thread(target=lambda: found.append(take(pool)))
    thread.start()
    thread.join()
    assert found[0].data_ptr() != address


def test_zeros_of_any_size() -> None:
    for count in (0, 3, LARGE):
        zeros = zeros_like(torch.ones(count, 2, dtype=torch.float64))
        assert zeros.shape == (count, 2) and zeros.dtype == torch.float64 and not zeros.any()
        zeros += 1
        assert bool((zeros == 1).all())
