"""The place of a primitive's operation: the line of the code under test that called it."""

from plait.run.primitives.site import SITES, place_of_primitive


def taken(*, first):
    if first:
        number = place_of_primitive()
    else:
        number = place_of_primitive()
    return SITES[number]


def test_the_number_of_a_line_does_not_depend_on_which_one_runs_first():
    """`plait replay` said that the code had moved too far: another line with the same text had run first there."""
    second, first = taken(first=False), taken(first=True)
    assert first.text == second.text
    assert (first.ordinal, second.ordinal) == (0, 1)
    assert taken(first=False) is second


def test_two_functions_of_one_name_keep_places_of_their_own():
    def here():
        return place_of_primitive()

    one = here

    def here():  # noqa: F811 - as in a class body that defines a method twice
        return place_of_primitive()

    assert one() != here()
    assert [one(), here()] == [one(), here()]
