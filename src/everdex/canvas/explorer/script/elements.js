// Pieces of the page. Everything the repository wrote goes in as text, through `element`, never as markup.

const PAGE = 40; // rows of a list before the next are asked for

const element = (name, attributes, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
  return made;
};
const link = (where, text) => element("a", { href: where }, text);
const muted = (...children) => element("small", { class: "muted" }, ...children);
const tag = (text, kind = "") => element("span", { class: `tag ${kind}` }, text);
const warning = (...children) => element("p", { class: "warning" }, ...children);
const code = (...children) => element("div", { class: "code" }, ...children);
const bullets = (sentences) => element("ul", {}, sentences.map((sentence) => element("li", {}, sentence)));
const number = (count) => count.toLocaleString("en");
const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;
const joined = (items, shown, separator = ", ") => items.map((item, at) => [at ? separator : "", shown(item)]);
const heading = (text, count) => element("h3", {}, text, count == null ? "" : muted(` ${number(count)}`));

// Where things are in the page: what stands behind # in its address.
const place = (kind, ...names) => "#" + [kind, ...names.map(encodeURIComponent)].join("/");
const partPlace = (part) => place("part", part.key);
const edgePlace = (from, to) => place("edge", from.key, to.key);
const partLink = (part) => link(partPlace(part), part.label);
const fileLink = (file) => link(place("file", file.path), file.path);
const symbolPlace = (symbol) => place("symbol", symbol.file.path, symbol.key);
const userLink = (user) => (user.file ? link(symbolPlace(user), user.key) : fileLink(user));

// A list that shows its first rows and asks for the next ones; `left` says what is in no row.
const list = (items, row, left = "") => {
  const made = element("ul", { class: "rows" });
  const more = element("button", { type: "button", onclick: () => grow().querySelector("a")?.focus() });
  let shown = 0;
  const grow = () => {
    const next = items.slice(shown, shown + PAGE).map((item) => element("li", {}, row(item)));
    made.append(...next);
    shown += next.length;
    const rest = items.length - shown;
    more.textContent = `show ${number(Math.min(PAGE, rest))} more of ${number(rest)}`;
    more.hidden = !rest;
    return next[0];
  };
  if (items.length) grow();
  return [made, shown < items.length && more, left && element("p", { class: "muted" }, left)];
};
const section = (title, items, row, left = "") => (
  items.length || left ? [heading(title, items.length), list(items, row, left)] : []);

// How calls were resolved: a bar and its legend.
const STATES = ["resolved", "ambiguous", "external", "unresolved"];
const callBar = (counts) => {
  const total = counts.reduce((sum, count) => sum + count, 0);
  const some = STATES.map((state, at) => [state, counts[at]]).filter(([, count]) => count);
  const piece = ([state, count]) => {
    const made = element("span", { class: state });
    made.style.flexGrow = count;
    return made;
  };
  const told = (state) => (state === "external" ? "leave the repository" : state);
  return total ? [
    heading("Calls made here", total),
    element("div", { class: "bar", "aria-hidden": "true" }, some.map(piece)),
    element("div", { class: "legend" }, some.map(([state, count]) => (
      element("span", {}, element("i", { class: state }), `${number(count)} ${told(state)}`)))),
  ] : [];
};

const crumbs = (part) => {
  const way = [];
  for (let here = part; here; here = here.above) way.unshift(here);
  return element("p", { class: "crumbs" }, joined(way, partLink, " › "));
};

const sized = ({ imports, uses, doubtful }) => [
  imports && counted(imports, "import"), uses && counted(uses, "other use"),
  doubtful && `${number(doubtful)} in doubt`,
].filter(Boolean).join(", ");

// The places of a tie: those whose text the page holds, then the numbers of the others.
const witnesses = (tie) => {
  const text = (line) => texts.get(`${tie.user.id}:${line}`);
  const bare = tie.lines.filter((line) => text(line) == null);
  const left = tie.imports + tie.uses + tie.doubtful - tie.lines.length;
  const rest = [
    bare.length && `also ${bare.length > 1 ? "lines" : "line"} ${bare.join(", ")}`,
    left > 0 && `${counted(left, "more place")} not listed`,
  ].filter(Boolean).join("; ");
  return [
    tie.lines.filter((line) => text(line) != null).map((line) => (
      code(element("span", { class: "muted" }, `${tie.user.path}:${line}  `), text(line)))),
    rest && muted(rest),
  ];
};
