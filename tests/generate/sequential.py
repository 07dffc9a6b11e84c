"""A sequential runner for the generator's tests: plain exec, with a thread that shows when a call blocks."""

import threading
import time

from plait.generate.outcome import CallOutcome, is_absent, made_text


class Runner:
    """`RunSequentially` in this process.

    A call that takes longer than ``patience`` seconds counts as blocked: long by default, so that a busy machine
    changes no result; short in tests whose subjects do block.
    """

    def __init__(self, patience=3.0):
        self.patience = patience

    def __call__(self, test):
        outcomes = []
        worker = threading.Thread(target=self._execute, args=(test, outcomes), daemon=True)
        worker.start()
        done = 0
        deadline = time.monotonic() + self.patience
        while worker.is_alive() and time.monotonic() < deadline:
            worker.join(min(0.02, self.patience))
            if len(outcomes) > done:
                done, deadline = len(outcomes), time.monotonic() + self.patience
        if worker.is_alive():
            return [*outcomes[:done], CallOutcome("blocked")]
        return outcomes

    def _execute(self, test, outcomes):
        scope = {}
        exec("\n".join(test.imports), scope)
        for index, call in enumerate(test.prefix):
            before = state_of(scope.get("x"))
            try:
                result = self._call(call, scope)
            except BaseException as error:
                text = str(error)[:200]
                lines = [each.tb_lineno for each in frames(error) if each.tb_frame.f_code.co_filename != __file__][1:]
                place = ".".join(map(str, lines))
                outcomes.append(
                    CallOutcome("raised", type(error).__name__, text, absent=is_absent(error), line=(lines or [0])[0],
                                place=place)
                )  # fmt: skip
                if index == 0:
                    return
                continue
            changed = state_of(scope.get("x")) != before
            outcomes.append(CallOutcome("ok", changed=changed, result=type(result).__name__, made=made_text(result)))

    def _call(self, call, scope):
        try:
            code = compile(call.source, "<call>", "eval")
        except SyntaxError:
            exec(compile(call.source, "<call>", "exec"), scope)
            return scope.get(call.result) if call.result else None
        return eval(code, scope)


def frames(error):
    trace = error.__traceback__
    while trace is not None:
        yield trace
        trace = trace.tb_next


def state_of(value):
    try:
        fields = {name: repr(each) for name, each in getattr(value, "__dict__", {}).items()}
        return fields, repr(value), list(value) if hasattr(value, "__len__") else None
    except Exception:
        return None
