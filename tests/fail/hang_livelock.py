"""Two polite threads that each wait for the other to go first."""

OUTCOME = "hang"


class Corridor:
    def __init__(self):
        self.wants = [False, False]

    def pass_through(self, me):
        self.wants[me] = True
        while self.wants[1 - me]:
            pass
        self.wants[me] = False


setup = Corridor
threads = [lambda corridor: corridor.pass_through(0), lambda corridor: corridor.pass_through(1)]
