from cached_property import threaded_cached_property_with_ttl


class Part:
    pass


class Owner:
    pass


def make_property():
    def part(self):
        return Part()

    return threaded_cached_property_with_ttl(ttl=60)(part)
