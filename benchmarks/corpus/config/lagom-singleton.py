from lagom import Container, Singleton


class Service:
    pass


def make_container():
    container = Container()
    container[Service] = Singleton(lambda: Service())
    return container
