// The search box: parts, files and symbols by name, what fits better and is used more first; all by keyboard.

const SHOWN = 30;
const entries = [
  ...parts.slice(1).map((part) => (
    { name: part.label, where: part.key, kind: part.kind, to: partPlace(part), weight: 3 })),
  ...files.map((file) => ({
    name: file.path.split("/").pop(), where: file.path, kind: "file", to: place("file", file.path),
    weight: file.role === "test" ? 0 : 2,
  })),
  ...symbols.map((symbol) => ({
    name: symbol.key, where: `${symbol.file.path}:${symbol.line}`, kind: symbol.kind, to: symbolPlace(symbol),
    weight: Math.log1p(symbol.usedBy) + (symbol.tier < 2 ? 1 : 0) - (symbol.tier > 2 ? 1 : 0),
  })),
];
for (const entry of entries) entry.folded = entry.name.toLowerCase();

const fit = (entry, asked) => {
  const at = entry.folded.indexOf(asked);
  if (at < 0) return entry.where.toLowerCase().includes(asked) ? 1 + entry.weight / 100 : 0;
  const last = entry.folded.slice(entry.folded.lastIndexOf(".") + 1);
  const how = last === asked || entry.folded === asked ? 40 : last.startsWith(asked) ? 30 : at === 0 ? 20 : 10;
  return how + entry.weight - entry.name.length / 100;
};
const marked = (name, asked) => {
  const at = name.toLowerCase().indexOf(asked), end = at + asked.length;
  return at < 0 ? name : [name.slice(0, at), element("mark", {}, name.slice(at, end)), name.slice(end)];
};

const NAME = "Search parts, files and symbols";
const input = element("input", {
  type: "search", placeholder: NAME, "aria-label": NAME, role: "combobox", "aria-expanded": "false",
  "aria-controls": "hits", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
});
const hits = element("ul", { id: "hits", role: "listbox", "aria-label": "Found", hidden: "" });
document.querySelector("header").append(
  element("div", { id: "search", role: "search" }, input, element("kbd", { "aria-hidden": "true" }, "/"), hits));
let found = [], selected = 0;

const search = () => {
  const asked = input.value.trim().toLowerCase();
  const all = asked ? entries.map((entry) => [fit(entry, asked), entry]).filter(([how]) => how > 0) : [];
  all.sort((a, b) => b[0] - a[0] || (a[1].where < b[1].where ? -1 : 1));
  found = all.slice(0, SHOWN).map(([, entry]) => entry);
  const row = (entry, at) => element(
    "li",
    { role: "option", id: `hit-${at}`, onmousedown: (event) => event.preventDefault(), onclick: () => go(entry) },
    marked(entry.name, asked), " ", element("span", { class: "kind" }, entry.kind), element("small", {}, entry.where));
  const rest = all.length - found.length;
  const note = rest ? `${number(rest)} more` : found.length ? "" : "Nothing in this page is called so.";
  hits.replaceChildren(...found.map(row));
  if (note) hits.append(element("li", { class: "muted", role: "presentation" }, note));
  open(Boolean(asked));
  select(0);
};
const open = (is) => {
  hits.hidden = !is;
  input.setAttribute("aria-expanded", String(is));
};
const select = (at) => {
  selected = Math.max(0, Math.min(found.length - 1, at));
  found.forEach((_, here) => hits.children[here].setAttribute("aria-selected", String(here === selected)));
  input.setAttribute("aria-activedescendant", found.length ? `hit-${selected}` : "");
  if (found.length) hits.children[selected].scrollIntoView({ block: "nearest" });
};
const go = (entry) => {
  open(false);
  input.blur();
  location.hash = entry.to;
};
input.addEventListener("input", search);
input.addEventListener("focus", () => input.value && search());
input.addEventListener("blur", () => open(false));
input.addEventListener("keydown", (event) => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step) {
    event.preventDefault();
    select(selected + step);
  } else if (event.key === "Enter" && found.length) go(found[selected]);
  else if (event.key === "Escape") {
    input.value = "";
    open(false);
    input.blur();
  }
});
