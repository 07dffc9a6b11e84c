from airline import Airline


def test_airline():
    """Main and five sellers: no more seats are sold than there are."""
    flight = Airline(issued=5, cushion=2)
    sold = flight.sell_all()
    assert sold <= flight.capacity
