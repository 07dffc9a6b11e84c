"""An endless loop that swallows whatever is thrown at it."""

OUTCOME = "hang"


class Worker:
    def __init__(self):
        self.jobs = 0

    def run(self):
        while True:
            try:
                self.jobs += 1
            except BaseException:
                continue


setup = Worker
threads = [Worker.run]
