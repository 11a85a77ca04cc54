// The picture: pan and zoom by wheel, pointer, fingers, buttons and keys, and what is marked in it. A pan is a change
// of the view box, so nothing is drawn again.

const svg = document.querySelector("#picture svg");
const view = svg.viewBox.baseVal;
const sheet = { x: 0, y: 0, width: view.width, height: view.height };
const CLICK = 4; // a pointer that moved less has clicked

const pane = () => svg.getBoundingClientRect();
const look = ({ x, y, width, height }) => svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
const inSheet = (x, y) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());

const zoom = (factor, at = { x: view.x + view.width / 2, y: view.y + view.height / 2 }) => {
  const width = Math.min(Math.max(view.width * factor, sheet.width / 40), sheet.width * 4);
  const by = width / view.width;
  look({ x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by, width, height: view.height * by });
};
const pan = (across, down) => look({
  x: view.x + view.width * across, y: view.y + view.height * down, width: view.width, height: view.height,
});
// As large as can be read, from the top and across the whole width; all of it where that can be read.
const begin = () => {
  const { width, height } = pane();
  const scale = Math.max(Math.min(width / sheet.width, height / sheet.height), Math.min(1, width / sheet.width));
  look({ x: (sheet.width - width / scale) / 2, y: 0, width: width / scale, height: height / scale });
};
const reveal = (made) => {
  const box = made.getBoundingClientRect(), around = pane();
  const off = (at, low, high) => (at > low && at < high ? 0 : (at - low) / (high - low) - 0.5);
  const across = off((box.left + box.right) / 2, around.left, around.right);
  const down = off((box.top + box.bottom) / 2, around.top, around.bottom);
  if (across || down) pan(across, down);
};

svg.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 300), inSheet(event.clientX, event.clientY));
}, { passive: false });

const fingers = new Map();
let moved = 0;
svg.addEventListener("pointerdown", (event) => {
  if (event.button) return;
  fingers.set(event.pointerId, event);
  moved = 0;
});
svg.addEventListener("pointermove", (event) => {
  const before = fingers.get(event.pointerId);
  if (!before) return;
  const distance = Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
  if (fingers.size === 1 && moved + distance < CLICK) return;
  moved += distance;
  svg.setPointerCapture(event.pointerId); // not sooner: a click that is captured would not reach its link
  svg.classList.add("moving");
  const other = [...fingers.values()].find((finger) => finger.pointerId !== event.pointerId);
  if (other) {
    const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
    const middle = inSheet((event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2);
    zoom(apart(before) / Math.max(apart(event), 1), middle);
  } else {
    const from = inSheet(before.clientX, before.clientY), to = inSheet(event.clientX, event.clientY);
    look({ x: view.x + from.x - to.x, y: view.y + from.y - to.y, width: view.width, height: view.height });
  }
  fingers.set(event.pointerId, event);
});
for (const name of ["pointerup", "pointercancel"]) {
  svg.addEventListener(name, (event) => {
    fingers.delete(event.pointerId);
    svg.classList.remove("moving");
  });
}
svg.addEventListener("click", (event) => {
  if (moved > CLICK) event.preventDefault(); // the end of a pan chooses nothing
}, true);
svg.addEventListener("dragstart", (event) => event.preventDefault());
svg.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && reveal(event.target));

const BUTTONS = [
  ["+", "Zoom in", () => zoom(0.8)], ["−", "Zoom out", () => zoom(1.25)],
  ["fit", "Show all of it", () => look(sheet)],
];
document.getElementById("picture").append(element("div", { id: "zoom" }, BUTTONS.map(([text, title, onclick]) => (
  element("button", { type: "button", title, "aria-label": title, onclick }, text)))));

// -- what is chosen ---------------------------------------------------------------------------

const decoded = (name) => {
  try {
    return decodeURIComponent(name);
  } catch {
    return name; // somebody wrote the address by hand
  }
};
const namesIn = (address) => address.slice(1).split("/").map(decoded);
const drawn = [...svg.querySelectorAll("a")].map((made) => ({ made, names: namesIn(made.getAttribute("href")) }));

// Marks one part with the arrows that end there, or two parts with the arrow from the first to the second.
const mark = (chosen) => {
  const keys = chosen.map((part) => part.key);
  svg.classList.toggle("chosen", keys.length > 0);
  for (const { made, names: [kind, one, other] } of drawn) {
    const near = keys.length === 2 ? one === keys[0] && other === keys[1] : keys.includes(one) || keys.includes(other);
    const on = kind === "part" ? keys.includes(one) : kind === "edge" && near && keys.length === 2;
    made.classList.toggle("near", kind === "edge" && near);
    made.classList.toggle("on", on);
    if (on && kind === "part") reveal(made);
  }
};
