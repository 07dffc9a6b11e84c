from airline import Airline


def test_airline():
    """Main and five sellers: no more seats are sold than there are."""
    flight = Airline(5)
    flight.make_bookings()
    assert flight.seats_sold <= flight.maximum_capacity
