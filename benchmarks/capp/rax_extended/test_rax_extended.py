import threading

from rax_extended import Craft, diagnosis, executive, planner, task


def test_rax_extended():
    """Main, planner, executive, diagnosis and two tasks: every plan that is asked for is made and executed."""
    craft = Craft()
    threads = (
        threading.Thread(target=planner, args=(craft, 2)),
        threading.Thread(target=executive, args=(craft, 2)),
        threading.Thread(target=diagnosis, args=(craft,)),
        threading.Thread(target=task, args=(craft, 1)),
        threading.Thread(target=task, args=(craft, 2)),
    )
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert craft.plans_made == 2
    assert craft.tokens_executed == 10
    assert craft.repairs == 1
    assert craft.cell in {1, 2}
