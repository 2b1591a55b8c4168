from __future__ import annotations

from dgl_mathtree.training.schedules import TrainingState


def test_the_best_epoch_is_the_first_that_is_better_than_all_before() -> None:
    state = TrainingState(epoch=0, lr=1.0)
    better = [state.judge(reached) for reached in (0.5, 0.5, 0.4, 0.6, 0.1)]
    assert better == [True, False, False, True, False]
    assert (state.best, state.best_epoch, state.since, state.waited, state.epoch) == (0.6, 4, 1, 1, 5)
