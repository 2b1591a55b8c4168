"""The mode of floating point: detected, changed for as long as bounds need it, and given back."""

from __future__ import annotations

import ctypes
import sys
import threading
from collections.abc import Iterator

import numpy as np
import pytest
import torch

from dgl_mathtree.arithmetic import float_mode
from dgl_mathtree.arithmetic.float_mode import flushes_denormals, is_trusted, trusted_floats
from dgl_mathtree.data.dataset import EquationDataset
from dgl_mathtree.data.discovery.term_values import Evaluator
from dgl_mathtree.language import Forest, parse_equation
from dgl_mathtree.language.vocabulary import leaf_ball
from dgl_mathtree.oracle import Judgement, Oracle, evaluate_forest, judge
from dgl_mathtree.oracle.value_keys import digests, value_keys

UPWARD = {"x86_64": 0x800, "aarch64": 0x400000}
CHANGEABLE = pytest.mark.skipif(float_mode._FENV is None, reason="the C library cannot change the mode here")
SMALL = [
    "exp(-500)*exp(-200)*exp(600) = exp(-100)",
    "(x^2*10^-300)*10^250 = x^2*10^-50",
    "(x*10^-305 + y*10^-305)*10^300 = (x + y)*10^-5",
    "(x*10^-305 + y*10^-305)*10^300 = (x + y)*10^-5 + 10^-40*x",
    "(exp(-x^2)^300)^(1/300) = exp(-x^2)",
    "sin(x)^2 + cos(x)^2 = 1",
    "sqrt(x^2) = x",
    "x*10^-310 = x*10^-310 + 10^-320",
]


@pytest.fixture
def flushed() -> Iterator[None]:
    """Denormals are flushed in this thread."""
    assert torch.set_flush_denormal(True)
    yield
    torch.set_flush_denormal(False)


def settled(judgement: Judgement) -> tuple[object, ...]:
    return judgement.verdict, judgement.complex_verdict, judgement.defined, judgement.equal, str(judgement.witness)


@pytest.mark.usefixtures("flushed")
def test_flushing_is_seen_and_given_back() -> None:
    assert flushes_denormals() and not is_trusted()
    with trusted_floats() as trusted:
        assert trusted is (float_mode._FENV is not None)
        assert flushes_denormals() is not trusted
        with trusted_floats() as again:
            assert again is trusted
    assert flushes_denormals()
    with pytest.raises(KeyboardInterrupt), trusted_floats():
        raise KeyboardInterrupt
    assert flushes_denormals()


@CHANGEABLE
@pytest.mark.skipif(sys.platform != "linux", reason="the code of a rounding mode is that of Linux")
def test_directed_rounding_is_seen_too() -> None:
    import platform

    library, mode = ctypes.CDLL(None), UPWARD.get(platform.machine())
    if mode is None or library.fesetround(mode):
        pytest.skip("no directed rounding here")
    try:
        before = is_trusted()
        with trusted_floats() as inside:
            pass
        after = is_trusted()
    finally:
        library.fesetround(0)
    assert (before, inside, after) == (False, True, False)
    assert is_trusted()


@CHANGEABLE
def test_a_true_equation_stays_true_where_denormals_are_flushed(flushed: None) -> None:
    equation = EquationDataset("paper", "test").equation(5592)
    for certify in (False, True):
        found = Oracle(seed=1000, complex_plane=False, certify=certify).judge([equation])[0]
        assert (found.verdict, found.witness) == ("true", None)


def test_verdicts_do_not_depend_on_the_mode() -> None:
    data = EquationDataset("paper", "test")
    sample = [parse_equation(text) for text in SMALL] + [data.equation(k) for k in range(3, len(data), 211)]
    forest = Forest.of(sample)
    oracle = Oracle(seed=1000, complex_plane=False)

    def everything() -> tuple[object, ...]:
        leaf_ball.cache_clear()
        arrays = (oracle.values(forest), *evaluate_forest(forest, at), value_keys(forest), oracle.settled(forest))
        return [settled(j) for j in oracle.judge(sample)], [a.tobytes() for a in arrays]

    at = {word: np.geomspace(1e-9, 700.0, 30) for word in forest.words}
    expected = everything()
    torch.set_flush_denormal(True)
    try:
        found = everything()
    finally:
        torch.set_flush_denormal(False)
    assert found == expected


@CHANGEABLE
def test_a_thread_that_inherits_the_mode_is_safe(flushed: None) -> None:
    seen: list[object] = []

    def work() -> None:
        seen.append(flushes_denormals())
        seen.append(judge(parse_equation(SMALL[1])).verdict)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [True, "true"]


@CHANGEABLE
def test_values_that_discovery_groups_by_do_not_depend_on_the_mode(flushed: None) -> None:
    values = Evaluator(seed=0, count=8, low=26.7, high=27.2)(("Pow", ("exp", ("Mul", "-1", ("Pow", "x", "2"))), "0.01"))
    torch.set_flush_denormal(False)
    plain = Evaluator(seed=0, count=8, low=26.7, high=27.2)(("Pow", ("exp", ("Mul", "-1", ("Pow", "x", "2"))), "0.01"))
    assert np.array_equal(values, plain) and (values > 0).all()
    assert np.array_equal(digests(values[None]), digests(plain[None]))


@pytest.mark.usefixtures("flushed")
def test_where_the_mode_cannot_be_changed_ball_arithmetic_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    """As with a C library without fesetenv, which there is none of to run."""
    monkeypatch.setattr(float_mode, "_FENV", None)
    sample = [parse_equation(text) for text in SMALL]
    found = Oracle(complex_plane=False).judge(sample)
    values, errors = evaluate_forest(Forest.of(sample[5:6]), {"x": np.array([0.5])})
    with pytest.raises(FloatingPointError, match="flush"):
        value_keys(Forest.of(sample))
    torch.set_flush_denormal(False)
    expected = Oracle(complex_plane=False).judge(sample)
    assert [j.verdict for j in found] == [j.verdict for j in expected]
    assert all(j.method == "certified" for j in found[1:])  # constants come from ball arithmetic anyway
    assert all(j.witness is None or j.witness.bits > 53 for j in found)
    assert np.isinf(errors[-1]).all() and np.isnan(values[-1]).all()
