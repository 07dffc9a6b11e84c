from marshmallow import Schema, fields


class Item(Schema):
    a = fields.Integer(required=True)
