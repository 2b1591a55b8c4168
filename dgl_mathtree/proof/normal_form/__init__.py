"""The normal form: equations decided exactly, as identities of quotients of polynomials over generators."""

from dgl_mathtree.proof.normal_form.deciding import decide
from dgl_mathtree.proof.normal_form.proving import prove_by_normal_form

__all__ = ["decide", "prove_by_normal_form"]
