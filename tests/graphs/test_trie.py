"""The plan of sequences holds each of them, and every beginning once."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dgl_mathtree.graphs.trie import trie_plan
from tests.examples import examples

COUNT = 3


@examples(100)
@given(
    sequences=st.lists(st.lists(st.integers(0, COUNT - 1), max_size=6), min_size=1, max_size=12),
    spare=st.integers(0, 2),
)
def test_every_sequence_is_found_and_every_beginning_is_there_once(sequences: list[list[int]], spare: int) -> None:
    longest = max(map(len, sequences)) + spare
    tokens = np.random.default_rng(0).integers(0, COUNT, (len(sequences), longest))  # noise beyond the ends
    for row, sequence in zip(tokens, sequences, strict=True):
        row[: len(sequence)] = sequence
    plan, rows = trie_plan(tokens, np.array([len(sequence) for sequence in sequences]), COUNT)
    children = plan.children.tolist()
    for sequence, row in zip(sequences, rows.tolist(), strict=True):
        read = []
        while row:
            row, token = children[row - 1]
            read.append(token - 1)
        assert read[::-1] == sequence
    beginnings = {tuple(sequence[: k + 1]) for sequence in sequences for k in range(len(sequence))}
    assert plan.leaves == COUNT and len(plan.row) == COUNT + len(beginnings)
    assert [level.stop - level.start for level in plan.levels] == [
        sum(len(beginning) == k + 1 for beginning in beginnings) for k in range(max(map(len, sequences)))
    ]
    for level in plan.levels:  # what a level reads is made below it
        assert all(before < level.start for before, _ in children[level.start - 1 : level.stop - 1])
