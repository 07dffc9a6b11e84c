"use strict";
// Everything shown comes from the data block and is put into the page as text, never as markup.
const data = JSON.parse(document.getElementById("data").textContent);
const main = document.getElementById("main");

function make(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) if (value !== undefined && value !== null) node.setAttribute(name, value);
  for (const child of children) if (child !== undefined && child !== null) node.append(child);
  return node;
}

// A sentence in which `code` stands between backticks.
function sentence(tag, text, attributes = {}) {
  const node = make(tag, attributes);
  String(text).split("`").forEach((part, index, all) =>
    node.append(index % 2 && index < all.length - 1 ? make("code", {}, part) : (index % 2 ? "`" : "") + part));
  return node;
}

function table(head, rows, attributes = {}) {
  const body = make("tbody"), top = make("tr");
  head.forEach(text => top.append(make("th", {scope: "col"}, text)));
  for (const row of rows) {
    const line = make("tr", row.attributes || {});
    (row.cells || row).forEach(cell => line.append(cell instanceof Node ? cell : make("td", {}, String(cell))));
    body.append(line);
  }
  return make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": attributes.label || "Table"},
    make("table", {class: attributes.class}, make("thead", {}, top), body));
}
