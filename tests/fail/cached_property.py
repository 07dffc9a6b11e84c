"""A cached value computed twice."""

OUTCOME = "wrong-result"


class Report:
    def __init__(self):
        self.computed = []

    def compute(self):
        self.computed.append(1)
        return 42

    @property
    def value(self):
        if not hasattr(self, "_value"):
            self._value = self.compute()
        return self._value


setup = Report
threads = [lambda report: report.value] * 2


def check(report):
    assert len(report.computed) == 1
