"""pybreaker: who reads `state` while the circuit opens closes it; listeners are told so, and that it opens again."""

from crew import together
from pybreaker import CircuitBreaker, CircuitBreakerError, CircuitBreakerListener


class Told(CircuitBreakerListener):
    def __init__(self) -> None:
        self.states: list[str] = []

    def state_change(self, _breaker, _old, new) -> None:
        self.states.append(new.name)


def test_opening_once_is_told_once() -> None:
    told = Told()
    breaker = CircuitBreaker(fail_max=1, listeners=[told])

    def fail() -> None:
        try:
            breaker.call(int, "no number")
        except CircuitBreakerError:
            pass

    together(fail, lambda: breaker.state)
    assert breaker.state.name == "open"
    assert told.states == ["open"]
