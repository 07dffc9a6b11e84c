"""What an execution on OS threads is blamed for."""

from plait.judge.oracle.native import NativeOracle
from plait.model.test import Call, Test

TEST = Test((), (Call("list", "list({args})", result="x"),), ((Call("append", "x.append({args})", args=("1",)),),) * 2)


def test_what_no_order_raises_is_a_violation():
    assert NativeOracle(TEST).violation(["", "ValueError"]) == "ValueError"
    assert NativeOracle(TEST).violation(["", ""]) is None
