import threading

from readers_writers import GuardedCell


def test_readers_writers():
    """Main and two readers, and two writers when the first reader has left: all end, nobody reads what is written."""
    cell = GuardedCell()
    errors = []

    def write(value):
        try:
            cell.write(value)
        except RuntimeError as error:
            errors.append(error)

    readers = tuple(threading.Thread(target=cell.read) for _ in range(2))
    writers = tuple(threading.Thread(target=write, args=(value,)) for value in (1, 2))
    for thread in readers:
        thread.start()
    readers[0].join()
    for thread in writers:
        thread.start()
    for thread in (readers[1], *writers):
        thread.join()
    assert errors == []
    assert cell.value in {1, 2}
