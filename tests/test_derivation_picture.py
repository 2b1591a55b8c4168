"""The picture of a derivation is that of today's prover, and an SVG."""

from __future__ import annotations

from xml.etree import ElementTree

from dgl_mathtree import Proof, prove
from tools.derivation import EQUATION, FILE, picture


def test_the_picture_is_that_of_the_derivation() -> None:
    proof = prove(EQUATION)
    assert isinstance(proof, Proof)
    text = FILE.read_text(encoding="utf-8")
    assert text == picture(proof), "make tables draws it anew"
    shown = [element.text for element in ElementTree.fromstring(text) if element.tag.endswith("text")]
    assert shown[0] == EQUATION and {law for _, law in proof.lines()} <= set(shown)
