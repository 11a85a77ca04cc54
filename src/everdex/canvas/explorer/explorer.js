// Walks the data of the page: parts, files, symbols, and the places where one uses another.
//
// Everything the repository wrote is put into the page as text, by `element`, never as markup. What is shown is named by
// the fragment of the address, so back and forward are the browser's own. Rows are unpacked here, once.
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE = 40; // rows of a list before the next are asked for
  const STEPS = 3; // how far an impact is followed
  const CERTAIN = 1, CALL = 2;
  const WAYS = [[4, "names"], [8, "writes"], [16, "inherits from"], [32, "is decorated with"], [64, "overrides"]];

  // -- the model ------------------------------------------------------------------------------

  const files = data.files.map(([path, role, lines, entry, ...calls], id) => (
    { id, path, role, lines, entry, calls, symbols: [], ties: [], users: [], part: null }));
  const parts = data.parts.map(([key, label, kind, count, lines, tests, standsFor, inner, own], id) => (
    { id, key, label, kind, count, lines, tests, standsFor, inner, own, above: null, files: new Set() }));
  const symbols = data.symbols.map((
    [file, key, kind, line, end, text, doc, tier, usedBy, tests, external, unresolved, asked, moreUsers, moreUsed], id
  ) => ({
    id, file: files[file], key, kind, line, end, text, doc, tier, usedBy, tests, external, unresolved, asked, moreUsers,
    moreUsed, uses: [], users: [],
  }));
  const texts = new Map(data.texts.map(([file, line, text]) => [`${file}:${line}`, text]));
  const cycleOf = new Map(data.cycles.flatMap((cycle) => cycle.map((part) => [part, cycle])));
  const closing = new Set(data.edges.filter((edge) => edge[2]).map(([from, to]) => `${from}>${to}`));

  for (const symbol of symbols) symbol.file.symbols.push(symbol);
  for (const part of parts) for (const child of part.inner) parts[child].above = part;
  for (const part of parts) {
    for (const file of part.own) files[file].part = part;
    for (let here = part; here; here = here.above) part.own.forEach((file) => here.files.add(file));
  }
  const ties = data.ties.map(([user, used, imports, uses, lines]) => (
    { user: files[user], used: [files[used]], imports, uses, doubtful: 0, lines }));
  ties.push(...data.doubts.map(([user, used, doubtful, lines]) => (
    { user: files[user], used: used.map((file) => files[file]), imports: 0, uses: 0, doubtful, lines })));
  for (const tie of ties) {
    tie.user.ties.push(tie);
    for (const file of tie.used) if (file !== tie.user) file.users.push(tie);
  }
  const link = (user, flat) => {
    for (let at = 0; at < flat.length; at += 4) {
      const use = { user, used: symbols[flat[at]], bits: flat[at + 1], sites: flat[at + 2], line: flat[at + 3] };
      user.uses?.push(use);
      use.used.users.push(use);
    }
  };
  data.uses.forEach((flat, id) => link(symbols[id], flat));
  for (const [id, flat] of Object.entries(data.file_uses)) link(files[id], flat);

  const place = (kind, ...names) => "#" + [kind, ...names.map(encodeURIComponent)].join("/");
  const partPlace = (part) => place("part", part.key);
  const filePlace = (file) => place("file", file.path);
  const symbolPlace = (symbol) => place("symbol", symbol.file.path, symbol.key);
  const edgePlace = (from, to) => place("edge", from.key, to.key);
  const number = (count) => count.toLocaleString("en");
  const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

  // The part in which `file` is for somebody who stands in `part`: the largest one that does not hold him.
  const seenFrom = (part, file) => {
    let found = null;
    for (let here = file.part; here && !here.files.has(first(part)); here = here.above) found = here;
    return found;
  };
  const first = (part) => part.files.values().next().value;

  // What a part uses, or by whom it is used: per other part the ties between them.
  const relations = (part, outwards) => {
    const found = new Map();
    for (const id of part.files) {
      for (const tie of outwards ? files[id].ties : files[id].users) {
        const others = outwards ? tie.used : [tie.user];
        if (others.some((file) => part.files.has(file.id) || !file.part)) continue;
        const met = new Set(others.map((file) => seenFrom(part, file)));
        const [other] = met;
        if (met.size !== 1 || !other) continue;
        if (!found.has(other)) found.set(other, new Set());
        found.get(other).add(tie);
      }
    }
    return [...found].map(([other, some]) => ({ other, ...summed([...some]) })).sort((a, b) => b.weight - a.weight);
  };
  const summed = (some) => {
    const total = { imports: 0, uses: 0, doubtful: 0, ties: some };
    for (const tie of some) for (const name of ["imports", "uses", "doubtful"]) total[name] += tie[name];
    total.weight = total.imports + total.uses + total.doubtful / 100;
    return total;
  };
  const between = (from, to) => summed(
    [...from.files].flatMap((id) => files[id].ties).filter((tie) => tie.used.every((file) => to.files.has(file.id))));
  const sized = ({ imports, uses, doubtful }) => [
    imports && counted(imports, "import"), uses && counted(uses, "other use"), doubtful && `${number(doubtful)} in doubt`,
  ].filter(Boolean).join(", ");

  // -- elements -------------------------------------------------------------------------------

  const element = (name, attributes, ...children) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes ?? {})) {
      if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false && value != null) made.setAttribute(key, value);
    }
    made.append(...children.flat(Infinity).filter((child) => child != null && child !== false && child !== ""));
    return made;
  };
  const to = (where, ...children) => element("a", { href: where }, ...children);
  const muted = (...children) => element("small", { class: "muted" }, ...children);
  const tag = (text, kind = "") => element("span", { class: `tag ${kind}` }, text);
  const heading = (text, count) => element("h3", {}, text, count == null ? "" : muted(` ${number(count)}`));

  // A list that shows its first rows and asks for the next ones.
  const list = (items, row, more = "") => {
    const made = element("ul", { class: "rows" });
    let shown = 0;
    const button = element("button", { type: "button", onclick: () => grow(true) });
    const grow = (asked) => {
      const next = items.slice(shown, shown + PAGE).map((item) => element("li", {}, row(item)));
      made.append(...next);
      shown += next.length;
      button.textContent = `show ${number(Math.min(PAGE, items.length - shown))} more of ${number(items.length - shown)}`;
      button.hidden = shown >= items.length;
      if (asked) next[0].querySelector("a")?.focus();
    };
    grow(false);
    return [made, button.hidden ? "" : button, more && element("p", { class: "muted" }, more)];
  };
  const section = (title, items, row, more = "") => (
    items.length || more ? [heading(title, items.length), ...list(items, row, more)] : []);

  const STATES = ["resolved", "ambiguous", "external", "unresolved"];
  const TOLD = { external: "leave the repository" };
  const callBar = (counts) => {
    const total = counts.reduce((sum, count) => sum + count, 0);
    if (!total) return [];
    const shown = STATES.map((state, at) => [state, counts[at]]).filter(([, count]) => count);
    const piece = ([state, count]) => {
      const made = element("span", { class: state });
      made.style.flexGrow = count;
      return made;
    };
    return [
      heading("Calls made here", total),
      element("div", { class: "bar", "aria-hidden": "true" }, shown.map(piece)),
      element("div", { class: "legend" }, shown.map(([state, count]) => (
        element("span", {}, element("i", { class: state }), `${number(count)} ${TOLD[state] ?? state}`)))),
    ];
  };
  const callsOf = (ids) => [...ids].reduce(
    (sum, id) => sum.map((count, at) => count + files[id].calls[at]), [0, 0, 0, 0]);

  const crumbs = (part) => {
    const way = [];
    for (let here = part; here; here = here.above) way.unshift(here);
    return element("p", { class: "crumbs" }, way.flatMap((here, at) => [at ? " › " : "", to(partPlace(here), here.label)]));
  };
  const fileRow = (file) => [
    to(filePlace(file), file.path), file.entry && tag("entry point"), file.role !== "source" && tag(file.role, "test"),
    muted(`${counted(file.lines, "line")}${file.symbols.length ? `, ${counted(file.symbols.length, "symbol")}` : ""}`),
  ];
  const symbolRow = (symbol) => [
    to(symbolPlace(symbol), symbol.key), element("span", { class: "kind" }, ` ${symbol.kind}`),
    muted(`${symbol.file.path}:${symbol.line}${symbol.usedBy ? ` · used by ${counted(symbol.usedBy, "other file")}` : ""}`),
  ];
  // The places of a tie: those whose text the page holds, then the numbers of the others.
  const witnesses = (tie) => {
    const text = (line) => texts.get(`${tie.user.id}:${line}`);
    const others = tie.lines.filter((line) => text(line) == null);
    const left = tie.imports + tie.uses + tie.doubtful - tie.lines.length;
    const rest = [others.length && `also ${others.length > 1 ? "lines" : "line"} ${others.join(", ")}`,
      left > 0 && `${counted(left, "more place")} not listed`].filter(Boolean);
    return [
      tie.lines.filter((line) => text(line) != null).map((line) => (
        element("div", { class: "code" }, element("span", { class: "muted" }, `${tie.user.path}:${line}  `), text(line)))),
      rest.length > 0 && muted(rest.join("; ")),
    ];
  };
  const mostUsed = (some) => some.filter((symbol) => symbol.tier < 2).sort((a, b) => b.usedBy - a.usedBy || a.id - b.id);

  // -- views ----------------------------------------------------------------------------------

  const overview = () => {
    const { omitted, calls } = data;
    const sources = files.filter((file) => file.role !== "test");
    const left = [
      omitted.files && counted(omitted.files, "file"), omitted.ties && counted(omitted.ties, "pair") + " of files that use each other",
      omitted.symbols && counted(omitted.symbols, "symbol"),
    ].filter(Boolean);
    const leftOut = Object.entries(data.left_out).map(([role, count]) => `${number(count)} ${role}`);
    return [
      element("h2", {}, data.name),
      files.length > 0 && element("p", {}, "Choose a part or an arrow in the picture, or search with ", element("kbd", {}, "/"), "."),
      element("ul", { class: "facts" },
        [[sources.length, "source file"], [parts[0].lines, "line"], [files.length - sources.length, "test file"],
          [symbols.length, "symbol"]].map(([count, noun]) => (
          element("li", {}, element("b", {}, number(count)), ` ${noun}${count === 1 ? "" : "s"}`)))),
      ...section("Cycles", data.cycles, (cycle) => cycle.flatMap((id, at) => [at ? ", " : "", to(partPlace(parts[id]), parts[id].label)])),
      ...section("Entry points", files.filter((file) => file.entry), (file) => [to(filePlace(file), file.path), muted(file.entry)]),
      ...section("Parts", parts[0].inner.map((id) => parts[id]), partRow),
      ...section("Most used symbols", mostUsed(symbols.filter((symbol) => symbol.tier === 0)), symbolRow),
      ...section("Tests", data.tests, ([label, count, lines]) => [
        to(place("tests", label), label), muted(`${counted(count, "file")}, ${counted(lines, "line")}`)]),
      ...section("Taken from outside", data.outside, ([name, count]) => [name, muted(`by ${counted(count, "file")}`)]),
      ...callBar([calls.resolved, calls.ambiguous, calls.external, calls.unresolved]),
      heading("What this page does not know"),
      element("ul", {},
        left.length > 0 && element("li", {}, `For want of room these are left out: ${left.join(", ")}. Ask for more with --max-bytes.`),
        element("li", {}, "It shows one snapshot, and nothing that changed since."),
        element("li", {}, "Calls through values that cannot be followed are counted as unresolved, not guessed."),
        leftOut.length > 0 && element("li", {}, `Files that are not in it: ${leftOut.join(", ")}.`),
        data.unknown.map((sentence) => element("li", {}, sentence))),
      element("p", { class: "muted" }, data.caption, element("br"), `digest ${data.digest}`),
    ];
  };
  const partRow = (part) => [
    to(partPlace(part), part.label), cycleOf.has(part.id) && tag("in a cycle", "doubt"),
    muted(`${counted(part.count, "file")}, ${counted(part.lines, "line")}`),
  ];

  const partView = (part) => {
    const own = [...part.files].map((id) => files[id]);
    const inside = own.flatMap((file) => file.symbols);
    const cycle = cycleOf.get(part.id);
    const edgeRow = (outwards) => (relation) => {
      const [from, target] = outwards ? [part, relation.other] : [relation.other, part];
      return [
        to(edgePlace(from, target), relation.other.key),
        closing.has(`${from.id}>${target.id}`) && tag("closes a cycle", "doubt"),
        !relation.imports && !relation.uses && tag("only in doubt", "doubt"), muted(sized(relation)),
      ];
    };
    const missing = part.count - own.length;
    return [
      crumbs(part),
      element("h2", {}, part.label), element("p", { class: "kind" }, part.standsFor ?
        `stands for ${counted(part.standsFor, "part")} for which the picture has no room` : `${part.kind} ${part.key}`),
      element("ul", { class: "facts" },
        element("li", {}, element("b", {}, number(part.count)), part.count === 1 ? " file" : " files"),
        element("li", {}, element("b", {}, number(part.lines)), part.lines === 1 ? " line" : " lines"),
        element("li", {}, part.tests ? `used by ${counted(part.tests, "test file")}` : "no test names it")),
      cycle && element("p", { class: "warning" }, "In a cycle with ", cycle.filter((id) => id !== part.id).flatMap(
        (id, at) => [at ? ", " : "", to(partPlace(parts[id]), parts[id].label)])),
      ...section("Uses", relations(part, true), edgeRow(true)),
      ...section("Used by", relations(part, false), edgeRow(false)),
      ...section("Parts inside", part.inner.map((id) => parts[id]), partRow),
      ...section("Public symbols", mostUsed(inside), symbolRow),
      ...callBar(callsOf(part.files)),
      ...section("Files", own.sort((a, b) => (a.path < b.path ? -1 : 1)), fileRow,
        missing > 0 ? `${counted(missing, "more file")} for which the page has no room` : ""),
    ];
  };

  const edgeView = (from, target) => {
    const { ties: some, ...sum } = between(from, target);
    const back = between(target, from);
    some.sort((a, b) => b.imports + b.uses - a.imports - a.uses || b.doubtful - a.doubtful);
    const row = (tie) => [
      to(filePlace(tie.user), tie.user.path), " uses ",
      tie.used.map((file, at) => [at ? " or " : "", to(filePlace(file), file.path)]),
      tie.doubtful > 0 && tag("ambiguous", "doubt"), muted(sized(tie)), witnesses(tie),
    ];
    return [
      crumbs(from),
      element("h2", {}, to(partPlace(from), from.key), " uses ", to(partPlace(target), target.key)),
      element("p", {}, sized(sum) || "No use is known in this page."),
      closing.has(`${from.id}>${target.id}`) && element("p", { class: "warning" }, "Closes a cycle. Of all ways to break the cycles, one that carries little is marked so."),
      back.ties.length > 0 && element("p", {}, to(edgePlace(target, from), `${target.label} also uses ${from.label}`), " ", muted(sized(back))),
      ...section("Where", some, row),
    ];
  };

  const fileView = (file) => {
    const missing = data.omitted.symbols ? "Symbols for which the page has no room are not listed." : "";
    const tieRow = (name) => (tie) => [
      (name === "used" ? tie.used : [tie.user]).flatMap((other, at) => [at ? " or " : "", to(filePlace(other), other.path)]),
      tie.doubtful > 0 && tag("ambiguous", "doubt"),
      muted(`${sized(tie)}${tie.lines.length ? ` · line ${tie.lines.join(", ")}${tie.imports + tie.uses + tie.doubtful > tie.lines.length ? ", …" : ""}` : ""}`),
    ];
    const outline = (symbol) => [
      to(symbolPlace(symbol), symbol.key), element("span", { class: "kind" }, ` ${symbol.kind}`),
      symbol.tier === 2 && tag("inner"), muted(`line ${number(symbol.line)}${symbol.doc ? ` · ${symbol.doc}` : ""}`),
    ];
    const named = (tie) => !(tie.user.role === "test");
    return [
      file.part && crumbs(file.part),
      element("h2", {}, file.path),
      element("p", { class: "kind" }, `${file.role} file, ${counted(file.lines, "line")}${file.entry ? `, entry point (${file.entry})` : ""}`),
      ...section("Symbols", file.symbols, outline, missing),
      ...section("Uses", file.ties, tieRow("used")),
      ...section("Used by", file.users.filter(named), tieRow("user")),
      ...section("Used by tests", file.users.filter((tie) => !named(tie)), tieRow("user")),
      ...callBar(file.calls),
    ];
  };

  const useRow = (other) => (use) => {
    const there = other === "user" ? use.user : use.used;
    const file = use.user.file ?? use.user; // code of a file outside of any definition is the file's
    const ways = WAYS.filter(([bit]) => use.bits & bit && !(use.bits & CALL)).map(([, word]) => word);
    return [
      there.file ? to(symbolPlace(there), there.key) : to(filePlace(there), there.path),
      ways.length > 0 && tag(ways.join(", ")), !(use.bits & CERTAIN) && tag("ambiguous", "doubt"),
      file.role === "test" && tag("test", "test"),
      muted(`${file.path}:${use.line}${use.sites > 1 ? ` and ${counted(use.sites - 1, "more place")}` : ""}`),
    ];
  };
  const byCertainty = (a, b) => (b.bits & CERTAIN) - (a.bits & CERTAIN) || b.sites - a.sites;

  // Who leads to a symbol, step by step, along the uses that the page holds.
  const impact = (symbol) => {
    const seen = new Set([symbol]);
    const levels = [];
    for (let here = [[symbol, true]]; here.length && levels.length < STEPS;) {
      const next = new Map();
      for (const [reached, certain] of here) {
        for (const use of reached.users ?? []) {
          if (seen.has(use.user) || use.bits === 8 || use.bits === 9) continue; // who only writes it is not affected
          next.set(use.user, next.get(use.user) || (certain && Boolean(use.bits & CERTAIN)));
        }
      }
      for (const user of next.keys()) seen.add(user);
      const left = here.reduce((sum, [reached]) => sum + (reached.moreUsers ?? 0), 0);
      if (next.size || left) levels.push({ users: [...next], left });
      here = [...next].filter(([user]) => user.file);
    }
    return levels;
  };
  const impactView = (symbol) => {
    const levels = impact(symbol);
    if (!levels.length) return [];
    const row = ([user, certain]) => [
      user.file ? to(symbolPlace(user), user.key) : to(filePlace(user), user.path), !certain && tag("ambiguous", "doubt")];
    return [
      heading("Impact of a change"),
      element("div", { class: "ripple" }, levels.map(({ users, left }, at) => {
        const shown = users.sort((a, b) => b[1] - a[1]).slice(0, 6);
        const doubt = users.filter(([, certain]) => !certain).length;
        return element("div", {},
          element("b", {}, counted(at + 1, "step")), muted(` ${number(users.length)}${doubt ? `, ${number(doubt)} in doubt` : ""}`),
          element("ul", { class: "rows" }, shown.map((item) => element("li", {}, row(item)))),
          users.length > shown.length && muted(`and ${number(users.length - shown.length)} more`),
          left > 0 && muted(` and ${number(left)} without room in the page`));
      })),
      muted("Along the uses in this page. The whole answer, also through overridden methods: "),
      element("code", {}, `everdex impact ${symbol.file.path}::${symbol.key}`),
    ];
  };

  const symbolView = (symbol) => {
    const left = (count, word) => (count ? `${counted(count, word)} for which the page has no room` : "");
    const calls = (use) => use.bits & CALL;
    const callers = symbol.users.filter(calls).sort(byCertainty);
    const callees = symbol.uses.filter(calls).sort(byCertainty);
    const doubts = [
      symbol.external && `calls in it that leave the repository: ${number(symbol.external)}`,
      symbol.unresolved && `calls in it that could not be resolved: ${number(symbol.unresolved)}`,
      symbol.asked && `unresolved calls by this name, which may mean it: ${number(symbol.asked)}`,
    ].filter(Boolean);
    return [
      symbol.file.part && crumbs(symbol.file.part),
      element("h2", {}, symbol.key), element("p", { class: "kind" }, symbol.kind, ", ",
        to(filePlace(symbol.file), `${symbol.file.path}:${symbol.line}`), symbol.end > symbol.line ? ` to ${number(symbol.end)}` : ""),
      element("code", { class: "code" }, symbol.text),
      symbol.doc && element("p", {}, symbol.doc),
      element("p", { class: "kind" }, symbol.usedBy ?
        `used by ${counted(symbol.usedBy, "other file")}, ${number(symbol.tests)} of them tests` : "no other file is known to use it"),
      ...section("Called by", callers, useRow("user"), left(symbol.moreUsers, "more user")),
      ...section("Calls", callees, useRow("used"), left(symbol.moreUsed, "more used symbol")),
      ...section("Otherwise used by", symbol.users.filter((use) => !calls(use)).sort(byCertainty), useRow("user")),
      ...section("Otherwise uses", symbol.uses.filter((use) => !calls(use)).sort(byCertainty), useRow("used")),
      ...(doubts.length ? [heading("What is not known"), element("ul", {}, doubts.map((text) => element("li", {}, text)))] : []),
      ...impactView(symbol),
    ];
  };

  const testsView = (label) => {
    const under = files.filter((file) => file.role === "test" && (file.path.split("/").slice(0, -1).slice(0, 2).join("/") || ".") === label);
    return [element("h2", {}, label), ...section("Test files", under, fileRow)];
  };

  // -- routes ---------------------------------------------------------------------------------

  const partBy = new Map(parts.map((part) => [part.key, part]));
  const fileBy = new Map(files.map((file) => [file.path, file]));
  const symbolBy = new Map(symbols.map((symbol) => [`${symbol.file.path}\n${symbol.key}`, symbol]));
  const decoded = (name) => {
    try {
      return decodeURIComponent(name);
    } catch {
      return name; // somebody wrote the address by hand
    }
  };
  const wanted = () => {
    const [kind, ...names] = location.hash.slice(1).split("/").map(decoded);
    const [one, other] = names;
    if (kind === "part" && partBy.has(one)) return [partView(partBy.get(one)), [partBy.get(one)]];
    if (kind === "file" && fileBy.has(one)) return [fileView(fileBy.get(one)), [fileBy.get(one).part]];
    if (kind === "edge" && partBy.has(one) && partBy.has(other)) {
      return [edgeView(partBy.get(one), partBy.get(other)), [partBy.get(one), partBy.get(other)]];
    }
    if (kind === "symbol" && symbolBy.has(`${one}\n${other}`)) {
      const symbol = symbolBy.get(`${one}\n${other}`);
      return [symbolView(symbol), [symbol.file.part]];
    }
    if (kind === "tests") return [testsView(one), []];
    if (kind) return [[element("h2", {}, "Not in this page"), element("p", {}, to("#", "Show all of it"))], []];
    return [overview(), []];
  };

  const panel = document.getElementById("panel");
  const svg = document.querySelector("#picture svg");
  const linksTo = new Map();
  for (const made of svg.querySelectorAll("a")) {
    const name = made.getAttribute("href").slice(1).split("/").map(decoded).join("\n");
    linksTo.set(name, made);
  }
  const show = (moved) => {
    const [content, chosen] = wanted();
    panel.replaceChildren(element("div", {}, content));
    panel.scrollTop = 0;
    document.title = `${panel.querySelector("h2").textContent} · ${data.name} · explorer`;
    mark(chosen.filter(Boolean));
    if (moved && !panel.contains(document.activeElement)) panel.focus({ preventScroll: true });
  };
  // Marks what is chosen in the picture, with the arrows that end there.
  const mark = (chosen) => {
    for (const made of linksTo.values()) made.classList.remove("on", "near");
    svg.classList.toggle("chosen", chosen.length > 0);
    const keys = chosen.map((part) => part.key);
    for (const key of keys) {
      const made = linksTo.get(`part\n${key}`);
      made?.classList.add("on");
      if (made) reveal(made);
    }
    for (const [name, made] of linksTo) {
      const [kind, from, target] = name.split("\n");
      if (kind !== "edge") continue;
      const same = keys.length === 2 ? from === keys[0] && target === keys[1] : keys.includes(from) || keys.includes(target);
      made.classList.toggle("near", same);
      made.classList.toggle("on", same && keys.length === 2);
    }
  };

  // -- the picture: pan and zoom --------------------------------------------------------------

  const whole = svg.viewBox.baseVal;
  const sheet = { x: 0, y: 0, width: whole.width, height: whole.height };
  const pane = () => svg.getBoundingClientRect();
  const look = ({ x, y, width, height }) => svg.setAttribute("viewBox", `${x} ${y} ${width} ${height}`);
  const now = () => ({ x: whole.x, y: whole.y, width: whole.width, height: whole.height });
  const inside = (clientX, clientY) => new DOMPoint(clientX, clientY).matrixTransform(svg.getScreenCTM().inverse());
  const zoom = (factor, point) => {
    const view = now();
    const width = Math.min(Math.max(view.width * factor, sheet.width / 40), sheet.width * 4);
    const by = width / view.width;
    const at = point ?? { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    look({ x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by, width, height: view.height * by });
  };
  const pan = (right, down) => {
    const view = now();
    look({ ...view, x: view.x + view.width * right, y: view.y + view.height * down });
  };
  // As large as can be read, or all of it where that can: from the top, across the whole width.
  const begin = () => {
    const { width, height } = pane();
    const scale = Math.max(Math.min(width / sheet.width, height / sheet.height), Math.min(1, width / sheet.width));
    look({ x: (sheet.width - width / scale) / 2, y: 0, width: width / scale, height: height / scale });
  };
  const reveal = (made) => {
    const box = made.getBoundingClientRect(), around = pane();
    const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
    const across = x > around.left && x < around.right ? 0 : (x - around.left) / around.width - 0.5;
    const down = y > around.top && y < around.bottom ? 0 : (y - around.top) / around.height - 0.5;
    if (across || down) pan(across, down);
  };
  svg.addEventListener("wheel", (event) => {
    event.preventDefault();
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 300), inside(event.clientX, event.clientY));
  }, { passive: false });

  const fingers = new Map();
  let dragged = 0;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    fingers.set(event.pointerId, event);
    dragged = 0;
  });
  svg.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const distance = Math.hypot(event.clientX - before.clientX, event.clientY - before.clientY);
    if (fingers.size === 1 && dragged + distance < 4) return; // a click that trembles
    dragged += distance;
    svg.setPointerCapture(event.pointerId); // not before: a captured click would not reach its link
    svg.classList.add("moving");
    const other = [...fingers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (one) => Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY);
      zoom(apart(before) / Math.max(apart(event), 1), inside((event.clientX + other.clientX) / 2, (event.clientY + other.clientY) / 2));
    } else {
      const from = inside(before.clientX, before.clientY);
      const at = inside(event.clientX, event.clientY);
      const view = now();
      look({ ...view, x: view.x + from.x - at.x, y: view.y + from.y - at.y });
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
    if (dragged > 4) event.preventDefault(); // the end of a pan is no choice
  }, true);
  svg.addEventListener("dragstart", (event) => event.preventDefault());
  const buttons = [["+", "Zoom in", () => zoom(0.8)], ["−", "Zoom out", () => zoom(1.25)], ["fit", "Show all of it", () => look(sheet)]];
  document.getElementById("picture").append(element("div", { id: "zoom" }, buttons.map(([text, title, onclick]) => (
    element("button", { type: "button", title, "aria-label": title, onclick }, text)))));

  // -- search ---------------------------------------------------------------------------------

  const entries = [
    ...parts.slice(1).map((part) => ({ name: part.label, where: part.key, kind: part.kind, to: partPlace(part), weight: 3 })),
    ...files.map((file) => ({ name: file.path.split("/").pop(), where: file.path, kind: "file", to: filePlace(file), weight: file.role === "test" ? 0 : 2 })),
    ...symbols.map((symbol) => ({
      name: symbol.key, where: `${symbol.file.path}:${symbol.line}`, kind: symbol.kind, to: symbolPlace(symbol),
      weight: Math.log1p(symbol.usedBy) + (symbol.tier < 2 ? 1 : 0) - (symbol.tier > 2 ? 1 : 0),
    })),
  ];
  for (const entry of entries) entry.folded = entry.name.toLowerCase();
  const score = (entry, asked) => {
    const at = entry.folded.indexOf(asked);
    if (at < 0) return entry.where.toLowerCase().includes(asked) ? 1 + entry.weight / 100 : 0;
    const last = entry.folded.slice(entry.folded.lastIndexOf(".") + 1);
    const fit = last === asked || entry.folded === asked ? 40 : last.startsWith(asked) ? 30 : at === 0 ? 20 : 10;
    return fit + entry.weight - entry.name.length / 100;
  };
  const input = element("input", {
    type: "search", placeholder: "Search parts, files and symbols", "aria-label": "Search parts, files and symbols",
    role: "combobox", "aria-expanded": "false", "aria-controls": "hits", "aria-autocomplete": "list", autocomplete: "off", spellcheck: "false",
  });
  const hits = element("ul", { id: "hits", role: "listbox", hidden: "" });
  document.querySelector("header").append(element("div", { id: "search", role: "search" }, input, element("kbd", { "aria-hidden": "true" }, "/"), hits));
  let found = [], selected = 0;
  const marked = (name, asked) => {
    const at = name.toLowerCase().indexOf(asked);
    return at < 0 ? [name] : [name.slice(0, at), element("mark", {}, name.slice(at, at + asked.length)), name.slice(at + asked.length)];
  };
  const search = () => {
    const asked = input.value.trim().toLowerCase();
    found = asked ? entries.map((entry) => [score(entry, asked), entry]).filter(([fit]) => fit > 0)
      .sort((a, b) => b[0] - a[0] || (a[1].where < b[1].where ? -1 : 1)).map(([, entry]) => entry) : [];
    selected = 0;
    const shown = found.slice(0, 30);
    hits.replaceChildren(...shown.map((entry, at) => element("li", { role: "option", id: `hit-${at}`, onmousedown: (event) => event.preventDefault(), onclick: () => go(entry) },
      marked(entry.name, asked), " ", element("span", { class: "kind" }, entry.kind), element("small", {}, entry.where))));
    if (asked && !found.length) hits.append(element("li", { class: "muted" }, "Nothing in this page is called so."));
    if (found.length > shown.length) hits.append(element("li", { class: "muted" }, `${number(found.length - shown.length)} more`));
    found = shown;
    open(Boolean(asked));
    select(0);
  };
  const open = (is) => {
    hits.hidden = !is;
    input.setAttribute("aria-expanded", String(is));
  };
  const select = (at) => {
    selected = Math.max(0, Math.min(found.length - 1, at));
    [...hits.children].forEach((row, here) => row.setAttribute("aria-selected", String(here === selected && found.length > 0)));
    if (found.length) {
      input.setAttribute("aria-activedescendant", `hit-${selected}`);
      hits.children[selected].scrollIntoView({ block: "nearest" });
    }
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
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      select(selected + (event.key === "ArrowDown" ? 1 : -1));
    } else if (event.key === "Enter" && found.length) go(found[selected]);
    else if (event.key === "Escape") {
      input.value = "";
      open(false);
      input.blur();
    }
  });

  // -- keys -----------------------------------------------------------------------------------

  const KEYS = {
    "/": () => { input.focus(); input.select(); }, "+": () => zoom(0.8), "=": () => zoom(0.8), "-": () => zoom(1.25), 0: () => look(sheet),
  };
  const ARROWS = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
  document.addEventListener("keydown", (event) => {
    if (event.target === input || event.ctrlKey || event.metaKey || event.altKey) return;
    const way = document.activeElement?.closest("#picture") && ARROWS[event.key];
    if (!KEYS[event.key] && !way) return;
    event.preventDefault();
    if (way) pan(...way);
    else KEYS[event.key]();
  });

  document.documentElement.classList.add("live");
  panel.hidden = false;
  begin();
  addEventListener("hashchange", () => show(true));
  show(false);
})();
