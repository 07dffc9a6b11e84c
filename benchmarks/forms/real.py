"""What real threads do with each form: `python benchmarks/forms/real.py`, on any interpreter, plait is not needed.

Each form is tried until an update is lost or raises, or until a million of them were made; the answers are written to
``seen.json`` beside this file, by interpreter: whether the form was torn, and after how many updates. Forms that the
interpreter has an answer for are skipped, so that a run can be interrupted. ``--again NAME...`` tries some once more.
"""

from __future__ import annotations

import argparse
import json
import platform
import sys
import threading
import time
import types
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.forms.table import Form, forms, module_source  # noqa: E402 - run as a script

SEEN = Path(__file__).with_name("seen.json")
MODULE = "forms_under_test"
THREADS = 4
TRIES = 1_000_000
ROUNDS, GROWING_ROUNDS = 50_000, 500  # updates of a thread in one go
BYTE = 256  # where the elements of a bytearray begin anew
GROWING = ("length", "tuple", "string", "elements", "range")


def interpreter() -> str:
    """The version, with a ``t`` where there is no GIL."""
    free = not getattr(sys, "_is_gil_enabled", lambda: True)()
    return platform.python_version() + ("t" if free else "")


def rounds(form: Form) -> int:
    """How often a thread may update the form's state: some states grow."""
    return GROWING_ROUNDS if form.kind.startswith(GROWING) or "range" in form.name else ROUNDS


def torn(form: Form, make: Any, number: int) -> bool:
    """Let threads update a fresh state; whether an update was lost or raised."""
    step, count = make()
    errors: list[BaseException] = []
    start = threading.Barrier(THREADS)

    def body() -> None:
        start.wait()
        try:
            for _ in range(number):
                step()
        except BaseException as error:  # noqa: BLE001 - whatever an update raises
            errors.append(error)

    threads = [threading.Thread(target=body) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    made = number * THREADS
    return bool(errors) or count() != (made % BYTE if form.kind.startswith("bytearray") else made)


def answer(form: Form, make: Any, tries: int, seconds: float) -> tuple[bool, int]:
    """Whether the form can be torn, and after how many updates that was known."""
    made, end = 0, time.monotonic() + seconds
    number = min(rounds(form), 2_000)  # what tears easily shows it at once
    while made < tries and time.monotonic() < end:
        made += number * THREADS
        if torn(form, make, number):
            return True, made
        number = rounds(form)
    return False, made


def main() -> None:
    """Answer what has no answer yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tries", type=int, default=TRIES)
    parser.add_argument("--seconds", type=float, default=120.0, help="for one form, at most")
    parser.add_argument("--again", nargs="*", default=[])
    options = parser.parse_args()
    module = types.ModuleType(MODULE)
    sys.modules[MODULE] = module
    exec(compile(module_source(), MODULE, "exec"), module.__dict__)
    sys.setswitchinterval(1e-6)
    for form in forms():
        seen = json.loads(SEEN.read_text()) if SEEN.exists() else {}
        answers = seen.setdefault(interpreter(), {})
        if form.name in answers and form.name not in options.again:
            continue
        answers[form.name] = ["crash", 0]  # stays if the interpreter does not survive it
        _write(seen)
        answers[form.name] = answer(form, getattr(module, f"form_{form.identifier}"), options.tries, options.seconds)
        _write(seen)
        print(form.name, *answers[form.name], flush=True)


def _write(seen: dict[str, dict[str, Any]]) -> None:
    order = {form.name: place for place, form in enumerate(forms())}
    lines = []
    for version, answers in sorted(seen.items()):
        rows = [f"  {json.dumps(name)}: {json.dumps(answers[name])}" for name in sorted(answers, key=order.__getitem__)]
        lines.append(f' "{version}": {{\n' + ",\n".join(rows) + "\n }")
    SEEN.write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
