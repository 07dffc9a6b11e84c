"""An object to XML facade without any lock; its writer factory hands the same writer to everybody."""

from __future__ import annotations

KINDS = {"string": str, "int": int, "double": float, "boolean": lambda text: text == "true"}


class ConversionError(Exception):
    """A value has no XML form, or a text is not such a form: a legal outcome."""


class Output:
    """Where documents are written."""

    def __init__(self, text: str = "") -> None:
        self.text = text

    def write(self, text: str) -> None:
        self.text = self.text + text


class StreamWriter:
    """Writes one document at a time to its output."""

    def __init__(self) -> None:
        self.output: Output | None = None

    def reset(self) -> None:
        self.output = None

    def set_output(self, output: Output) -> None:
        self.output = output

    def start_document(self, version: str) -> None:
        self.output.write(f'<?xml version="{version}"?>')

    def write(self, text: str) -> None:
        self.output.write(text)


class OutputFactory:
    """Where writers come from."""

    def __init__(self) -> None:
        self.writer: StreamWriter | None = None

    def create(self, output: Output) -> StreamWriter:
        """The writer of the previous document, made ready for the next one."""
        writer = self.writer
        if writer is None:
            writer = StreamWriter()
            self.writer = writer
        else:
            writer.reset()
        writer.set_output(output)
        return writer


class Driver:
    """Makes its factory when the first writer is wanted."""

    def __init__(self) -> None:
        self.output_factory: OutputFactory | None = None

    def create_writer(self, output: Output) -> StreamWriter:
        if self.output_factory is None:
            self.output_factory = OutputFactory()
        return self.output_factory.create(output)


class ObjectStream:
    """The opened stream's root element and the values still to be read."""

    def __init__(self, root: str, values: tuple[object, ...] = ()) -> None:
        self.root = root
        self.values = values


class XStream:
    """Plain values to XML and back, with aliases for the element names."""

    def __init__(self, driver: Driver | None = None) -> None:
        self.driver = Driver() if driver is None else driver
        self.aliases: dict[str, str] = {}
        self.attribute_aliases: dict[str, str] = {}
        self.package_aliases: dict[str, str] = {}
        self.omitted: tuple[str, ...] = ()
        self.immutable: tuple[str, ...] = ()
        self.implicit: tuple[str, ...] = ()
        self.converters: tuple[str, ...] = ()

    def _element(self, value: object) -> str:
        if value is None:
            return "<null/>"
        if isinstance(value, (list, tuple)):
            name = self.aliases.get("list", "list")
            return f"<{name}>{''.join(self._element(item) for item in value)}</{name}>"
        for kind, known in (("boolean", bool), ("int", int), ("double", float), ("string", str)):
            if isinstance(value, known):
                name = self.aliases.get(kind, kind)
                text = str(value).lower() if known is bool else str(value)
                return f"<{name}>{text.replace('&', '&amp;').replace('<', '&lt;')}</{name}>"
        raise ConversionError(f"no XML form for {type(value).__name__}")

    def _value(self, xml: str) -> object:
        body = xml[xml.find("?>") + 2 :] if xml.startswith("<?") else xml
        if body == "<null/>":
            return None
        name, opened, rest = body[1:].partition(">")
        text, closed, _ = rest.partition("</")
        kind = next((kind for kind, alias in tuple(self.aliases.items()) if alias == name), name)
        if not body.startswith("<") or not opened or not closed or kind not in KINDS:
            raise ConversionError("not a document of one plain value")
        try:
            return KINDS[kind](text.replace("&lt;", "<").replace("&amp;", "&"))
        except ValueError:
            raise ConversionError(f"not of kind {kind}") from None

    def _write(self, value: object, output: Output) -> None:
        element = self._element(value)
        writer = self.driver.create_writer(output)
        writer.start_document(self._xml_version)
        writer.write(element)

    def to_xml(self, value: object) -> str:
        output = Output()
        self._write(value, output)
        return output.text

    def to_xml_into(self, value: object, output: Output) -> None:
        self._write(value, output)

    def marshal(self, value: object, output: Output) -> None:
        self._write(value, output)

    def marshal_with_context(self, value: object, output: Output, context: str) -> None:
        self._write(value, output)
        output.write(f"<!-- {context} -->")

    def from_xml(self, xml: str) -> object:
        return self._value(xml)

    def from_xml_or(self, xml: str, root: object) -> object:
        """The value of the document, or ``root`` if it is not one."""
        try:
            return self._value(xml)
        except ConversionError:
            return root

    def unmarshal(self, xml: str) -> object:
        return self._value(xml)

    def unmarshal_into(self, xml: str, root: list[object]) -> None:
        """Append the value to ``root``."""
        root.append(self._value(xml))

    def create_object_output_stream(self, output: Output) -> ObjectStream:
        return self.create_named_object_output_stream(output, "object-stream")

    def create_named_object_output_stream(self, output: Output, root: str) -> ObjectStream:
        """Start a document whose root element takes many values."""
        writer = self.driver.create_writer(output)
        writer.start_document(self._xml_version)
        writer.write(f"<{root}>")
        return ObjectStream(root)

    def create_object_input_stream(self, xml: str) -> ObjectStream:
        return ObjectStream("object-stream", (self._value(xml),))

    def create_named_object_input_stream(self, xml: str, root: str) -> ObjectStream:
        return ObjectStream(root, (self._value(xml),))

    def alias(self, name: str, kind: str) -> None:
        """Write values of ``kind`` (string, int, double, boolean, list) in elements of this name."""
        self.aliases[kind] = name

    def alias_type(self, name: str, kind: str) -> None:
        self.aliases[kind] = name

    def alias_field(self, alias: str, field: str) -> None:
        self.attribute_aliases[field] = alias

    def alias_attribute(self, alias: str, attribute: str) -> None:
        self.attribute_aliases[attribute] = alias

    def alias_system_attribute(self, alias: str | None, attribute: str) -> None:
        self.attribute_aliases[attribute] = "" if alias is None else alias

    def alias_package(self, name: str, package: str) -> None:
        self.package_aliases[package] = name

    def get_alias(self, kind: str) -> str | None:
        return self.aliases.get(kind)

    def get_attribute_alias(self, attribute: str) -> str | None:
        return self.attribute_aliases.get(attribute)

    def get_package_alias(self, package: str) -> str | None:
        return self.package_aliases.get(package)

    def omit_field(self, field: str) -> None:
        self.omitted = (*self.omitted, field)

    def get_omitted_fields(self) -> tuple[str, ...]:
        return self.omitted

    def add_immutable_type(self, kind: str) -> None:
        self.immutable = (*self.immutable, kind)

    def get_immutable_types(self) -> tuple[str, ...]:
        return self.immutable

    def add_implicit_collection(self, field: str) -> None:
        self.implicit = (*self.implicit, field)

    def add_implicit_array(self, field: str) -> None:
        self.implicit = (*self.implicit, f"{field}[]")

    def add_implicit_map(self, field: str) -> None:
        self.implicit = (*self.implicit, f"{field}{{}}")

    def get_implicit_collections(self) -> tuple[str, ...]:
        return self.implicit

    def register_converter(self, name: str) -> None:
        self.converters = (*self.converters, name)

    def register_converter_first(self, name: str) -> None:
        self.converters = (name, *self.converters)

    def get_converter_lookup(self) -> tuple[str, ...]:
        return self.converters

    def process_annotations(self, kinds: list[str]) -> int:
        """Alias each kind to itself unless it has an alias; how many were new."""
        new = 0
        for kind in kinds:
            if kind not in self.aliases:
                self.aliases[kind] = kind
                new += 1
        return new

    def get_mapper(self) -> tuple[tuple[str, str], ...]:
        return tuple(self.aliases.items())

    def __repr__(self) -> str:
        return f"XStream(aliases={self.aliases}, converters={self.converters})"


# The settings of the facade: one independent field each, with a getter and a setter.
SETTINGS = {
    "xml_version": "1.0", "mode": 1001, "marshalling_strategy": "tree", "class_loader": "default",
    "reflection_provider": "pure", "autodetect_annotations": False, "default_implementation": "list",
    "ignore_unknown_elements": False, "encoding": "utf-8", "name_coder": "friendly", "pretty": False,
    "indent": 2, "line_break": "", "root_name": "object-stream", "null_name": "null", "reference_mode": "xpath",
}  # fmt: skip


def attach_accessors(owner: type, field: str, default: object) -> None:
    """Give ``owner`` a plain field with its getter and setter."""

    def getter(self):
        return getattr(self, f"_{field}")

    def setter(self, value):
        setattr(self, f"_{field}", value)

    kind = type(default)
    getter.__annotations__ = {"return": kind}
    setter.__annotations__ = {"value": kind, "return": None}
    setattr(owner, f"_{field}", default)
    for name, function in ((f"{'is' if kind is bool else 'get'}_{field}", getter), (f"set_{field}", setter)):
        function.__name__ = name
        function.__qualname__ = f"{owner.__qualname__}.{name}"
        setattr(owner, name, function)


for setting, setting_default in SETTINGS.items():
    attach_accessors(XStream, setting, setting_default)
