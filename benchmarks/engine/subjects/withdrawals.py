"""Two withdrawals from ConDiff's account (Figure 2 of the paper, the version after the change)."""

from functools import partial

from account import Account


class Program:
    """The balance covers each withdrawal, but not both."""

    def __init__(self) -> None:
        self.account = Account()
        self.account.deposit(10)
        self.bodies = [partial(self.account.withdraw, 8), partial(self.account.withdraw, 10)]

    def holds(self) -> bool:
        """The account is not overdrawn."""
        return self.account.balance >= 0
