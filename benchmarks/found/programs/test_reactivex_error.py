"""reactivex: who subscribes while a subject fails is told that it completed."""

from crew import together
from reactivex.subject import Subject


def test_a_subject_that_fails_does_not_complete() -> None:
    subject: Subject[int] = Subject()
    told: list[str] = []

    def subscribe() -> None:
        subject.subscribe(
            on_error=lambda _error: told.append("error"), on_completed=lambda: told.append("completed")
        )

    together(subscribe, lambda: subject.on_error(ValueError()))
    assert told == ["error"]
