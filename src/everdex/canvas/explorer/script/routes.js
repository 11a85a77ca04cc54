// Which address shows what, and the keys. The address is the page's only state, so back and forward are the browser's.

const panel = document.getElementById("panel");
const partBy = new Map(parts.map((part) => [part.key, part]));
const fileBy = new Map(files.map((file) => [file.path, file]));
const symbolBy = new Map(symbols.map((symbol) => [symbolPlace(symbol), symbol]));

// What the panel shows for an address, and the parts that the picture marks.
const shownAt = (kind, one, other) => {
  const part = partBy.get(one), to = partBy.get(other), file = fileBy.get(one);
  if (kind === "part" && part) return [partView(part), [part]];
  if (kind === "edge" && part && to) return [edgeView(part, to), [part, to]];
  if (kind === "file" && file) return [fileView(file), [file.part]];
  const symbol = kind === "symbol" && other != null && symbolBy.get(place("symbol", one, other));
  if (symbol) return [symbolView(symbol), [symbol.file.part]];
  if (kind === "tests") return [testsView(one), []];
  if (kind) return [[element("h2", {}, "Not in this page"), element("p", {}, link("#", "Show all of it"))], []];
  return [overview(), []];
};
const show = () => {
  const [content, chosen] = shownAt(...namesIn(location.hash));
  panel.replaceChildren(element("div", {}, content));
  panel.scrollTop = 0;
  document.title = `${panel.querySelector("h2").textContent} · ${data.name} · explorer`;
  mark(chosen.filter(Boolean)); // tests are in no part
};

const KEYS = {
  "/": () => [input.focus(), input.select()],
  "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: () => look(sheet),
};
const ARROWS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
document.addEventListener("keydown", (event) => {
  if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
  const way = document.activeElement.closest("#picture") && ARROWS[event.key];
  const act = way ? () => pan(...way) : KEYS[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

document.documentElement.classList.add("live");
panel.hidden = false;
begin();
show();
addEventListener("hashchange", () => {
  show();
  panel.focus({ preventScroll: true }); // whoever reads with a keyboard goes on where the new text is
});
