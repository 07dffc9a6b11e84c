// Many findings: a list of them with filters, and what is copied to other places.
const MANY = 3; // above, findings are folded until somebody asks for them
const LEVELS = {error: "wrong behaviour", warning: "differs or is slower", note: "mended or faster"};

function copyButton(text, what, words = "Copy") {
  const button = make("button", {type: "button", class: "copy", "aria-label": `Copy ${what}`}, words);
  const said = done => { button.textContent = done ? "Copied" : "Select and copy"; setTimeout(() => { button.textContent = words; }, 1500); };
  button.addEventListener("click", () => {
    const byHand = () => { // where the page may not use the clipboard: through a selection
      const area = make("textarea", {class: "visually-hidden", "aria-hidden": "true", tabindex: "-1"});
      area.value = text;
      document.body.append(area);
      area.select();
      let done = false;
      try { done = document.execCommand("copy"); } catch { done = false; }
      area.remove();
      button.focus();
      said(done);
    };
    if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(() => said(true), byHand);
    else byHand();
  });
  return button;
}

// Text to take along: a box, with a button in its corner.
function copied(text, what) {
  return make("div", {class: "copied"}, make("pre", {tabindex: "0", role: "group", "aria-label": what}, text), copyButton(text, what));
}

const ownerOf = finding => finding.subject || data.subject;

function index() {
  const all = data.findings;
  if (all.length < 2) return;
  const owners = [...new Set(all.map(ownerOf))].sort(); // one class needs no column of its own
  const places = new Set(all.map(each => each.mend).filter(Boolean)); // nor do findings with a place each
  const together = places.size > 0 && places.size < all.length;
  const rows = all.map((finding, position) => {
    const link = make("a", {href: `#finding-${position + 1}`}, String(position + 1));
    const title = make("a", {href: `#finding-${position + 1}`, tabindex: "-1"});
    title.append(sentence("span", finding.title || finding.summary));
    const line = make("tr", {}, make("td", {class: "number"}, link), make("td", {class: finding.level}, finding.level), make("td", {class: "kind"}, finding.kind),
      ...(owners.length > 1 ? [make("td", {class: "code"}, ownerOf(finding))] : []), make("td", {class: "title"}, title),
      ...(together ? [make("td", {class: "place"}, finding.mend || "")] : []));
    return {finding, line, position};
  });
  const choice = (label, name, values, words = {}) => {
    const select = make("select", {id: `by-${name}`}, make("option", {value: ""}, "all"));
    values.forEach(value => select.append(make("option", {value}, words[value] ? `${value}: ${words[value]}` : value)));
    return {name, select, box: make("p", {}, make("label", {for: `by-${name}`}, label), select)};
  };
  const unique = read => [...new Set(all.map(read))].sort();
  const kinds = unique(each => each.kind), levels = Object.keys(LEVELS).filter(level => all.some(each => each.level === level));
  const filters = [[owners, "Class"], [kinds, "Kind"], [levels, "Severity", LEVELS]].filter(([values]) => values.length > 1)
    .map(([values, label, words]) => choice(label, label.toLowerCase(), values, words));
  const typed = make("input", {type: "search", id: "by-text", autocomplete: "off"});
  const count = make("p", {role: "status", class: "muted small", id: "shown-findings"});
  const read = {class: ownerOf, kind: finding => finding.kind, severity: finding => finding.level};
  function draw() {
    const wanted = typed.value.toLowerCase();
    let shown = 0;
    for (const {finding, line, position} of rows) {
      const fits = filters.every(({name, select}) => !select.value || read[name](finding) === select.value)
        && [finding.title || finding.summary, ...(finding.methods || []), finding.mend || "", finding.fingerprint || ""].some(text => text.toLowerCase().includes(wanted));
      line.hidden = !fits;
      const article = document.getElementById(`finding-${position + 1}`);
      if (article) article.closest("article").hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${all.length} findings`;
  }
  const body = make("tbody", {}, ...rows.map(row => row.line)), head = make("tr");
  ["", "severity", "kind", ...(owners.length > 1 ? ["class"] : []), "finding", ...(together ? ["to mend"] : [])].forEach(text => head.append(text ? make("th", {scope: "col"}, text) : make("td")));
  const filter = make("div", {class: "filters", role: "search", "aria-label": "Filter findings"}, ...filters.map(each => each.box),
    make("p", {}, make("label", {for: "by-text"}, "Text"), typed));
  main.append(make("section", {"aria-labelledby": "index"}, make("h2", {id: "index"}, "Findings"), filter, count,
    make("div", {class: "scroll", tabindex: "0", role: "group", "aria-label": "Index of findings"}, make("table", {class: "index"}, make("thead", {}, head), body))));
  filters.forEach(({select}) => select.addEventListener("change", draw));
  typed.addEventListener("input", draw);
  return draw;
}

// What a link leads to is unfolded.
function unfold() {
  const subject = location.hash.startsWith("#subject-") && document.getElementById(location.hash.slice(1));
  if (subject) { subject.open = true; subject.scrollIntoView(); }
  const target = location.hash.startsWith("#finding-") && document.getElementById(location.hash.slice(1));
  const folded = target && target.closest("article").querySelector("details.body");
  if (folded) folded.open = true;
  if (target) target.scrollIntoView();
}
