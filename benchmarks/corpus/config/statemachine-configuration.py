from statemachine import State, StateMachine


class Lamp(StateMachine):
    off = State(initial=True)
    on = State()
    toggle = off.to(on) | on.to(off)
