import threading

from readers_writers import GuardedCell


def test_readers_writers():
    """Main, two readers and two writers: all come to an end, and nobody reads while the value is written."""
    cell = GuardedCell()
    errors = []

    def write(value):
        try:
            cell.write(value)
        except RuntimeError as error:
            errors.append(error)
            cell.after_write()

    threads = [threading.Thread(target=cell.read) for _ in range(2)]
    threads += [threading.Thread(target=write, args=(value,)) for value in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert cell.value in {1, 2}
