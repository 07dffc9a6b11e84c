"""What a call of a generated test stands for."""

import pytest

from plait.model.test import Call


@pytest.mark.parametrize(("call", "wanted"), [
    (Call("get", "{receiver}.get({args})"), ("get",)),
    (Call("with", "with {receiver}: pass"), ("__enter__", "__exit__")),
    (Call("read", "with {receiver}.read(): pass"), ("read",)),
    (Call("read+write", "with {receiver}.read(), {receiver}.write(): pass"), ("read", "write")),
    (Call("size.setter", "{receiver}.size = {0}", args=("1",)), ("size",)),
    (Call.from_line("x.total + 1"), ("x.total + 1",)),
])  # fmt: skip
def test_a_with_block_runs_methods_of_other_names(call, wanted):
    assert call.methods == wanted
