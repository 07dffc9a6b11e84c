from kombu.utils.objects import cached_property


class Part:
    pass


class Owner:
    pass


def make_property():
    def part(self):
        return Part()

    made = cached_property(part)
    if hasattr(made, "__set_name__"):
        made.__set_name__(Owner, "part")
    return made
