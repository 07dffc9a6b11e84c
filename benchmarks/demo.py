"""`make demo`: one class, two versions, every interleaving of two withdrawals.

The account is the example of the ConDiff paper (its Figure 2). A change made the critical sections smaller, and the
test of the balance was left outside of one. No run of an ordinary test suite notices.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from plait import explore_threads
from plait.report.layout import show, terminal_layout
from plait.report.story import story

HERE = Path(__file__).parent / "demo"


def account_of(version):
    """The class Account of one version."""
    name = f"account_{version}"
    spec = importlib.util.spec_from_file_location(name, HERE / version / "account.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.Account


def explored(version):
    """Two customers withdraw from one account at the same time; it holds enough for one of them."""
    account_class = account_of(version)

    def setup():
        account = account_class()
        account.deposit(10)
        return account

    def check(account):
        assert account.balance >= 0, f"the balance is {account.balance}"

    return explore_threads(
        setup,
        threads=[lambda account: account.withdraw(8), lambda account: account.withdraw(10)],
        check=check,
        raise_on_failure=False,
    )


def main():
    """The version before the change, and the one after it."""
    print("An account with a balance of 10. Two threads: withdraw(8) and withdraw(10). It must not be overdrawn.\n")
    before, after = explored("old"), explored("new")
    print("Before the change:")
    show(story(before, terminal_layout()))
    print("\nAfter the change:")
    show(story(after, terminal_layout()))
    print("\nThe test of the balance (line 27) happens before the lock is taken (line 28): both threads pass it.")
    return 0 if before.passed and not after.passed else 1


if __name__ == "__main__":
    sys.exit(main())
