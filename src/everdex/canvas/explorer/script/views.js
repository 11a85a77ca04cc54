// What the panel shows of each kind of thing: all of it, a part, an edge between two parts, a file, a symbol, tests.

const STEPS = 3; // how far an impact is followed
const FEW = 6; // shown of each step
const WAYS = [[4, "names"], [WRITE, "writes"], [16, "inherits from"], [32, "is decorated with"], [64, "overrides"]];

const fact = (count, noun) => element("li", {}, element("b", {}, number(count)), ` ${noun}${count === 1 ? "" : "s"}`);
const partRow = (part) => [
  partLink(part), cycleOf.has(part.id) && tag("in a cycle", "doubt"),
  muted(`${counted(part.count, "file")}, ${counted(part.lines, "line")}`),
];
const fileRow = (file) => [
  fileLink(file), file.entry && tag("entry point"), file.role !== "source" && tag(file.role, "test"),
  muted(counted(file.lines, "line"), file.count ? `, ${counted(file.count, "symbol")}` : ""),
];
const symbolRow = (symbol) => [
  link(symbolPlace(symbol), symbol.key), element("span", { class: "kind" }, ` ${symbol.kind}`),
  muted(`${symbol.file.path}:${symbol.line}`,
    symbol.usedBy ? ` · used by ${counted(symbol.usedBy, "other file")}` : ""),
];
const mostUsed = (some) => some.sort((a, b) => b.usedBy - a.usedBy || a.id - b.id);

// -- all of it --------------------------------------------------------------------------------

const overview = () => {
  const { calls } = data;
  const sources = files.filter((file) => file.role !== "test");
  return [
    element("h2", {}, data.name),
    files.length > 0 && element(
      "p", {}, "Choose a part or an arrow in the picture, or search with ", element("kbd", {}, "/"), "."),
    element("ul", { class: "facts" },
      fact(sources.length, "source file"), fact(parts[0].lines, "line"),
      fact(files.length - sources.length, "test file"), fact(symbols.length, "symbol")),
    section("Cycles", data.cycles, (cycle) => joined(cycle, (id) => partLink(parts[id]))),
    section("Entry points", files.filter((file) => file.entry), (file) => [fileLink(file), muted(file.entry)]),
    section("Parts", parts[0].inner, partRow),
    section("Most used symbols", mostUsed(symbols.filter((symbol) => symbol.tier === 0)), symbolRow),
    section("Tests", data.tests, ([label, count, lines]) => [
      link(place("tests", label), label), muted(`${counted(count, "file")}, ${counted(lines, "line")}`)]),
    section("Taken from outside", data.outside, ([name, count]) => [name, muted(`by ${counted(count, "file")}`)],
      data.more_outside ? `${number(data.more_outside)} more` : ""),
    callBar([calls.resolved, calls.ambiguous, calls.external, calls.unresolved]),
    heading("What this page does not know"),
    bullets(unknown()),
    element("p", { class: "muted" }, data.caption, element("br"), `digest ${data.digest}`),
  ];
};
const unknown = () => {
  const { files: some, ties: pairs, symbols: others } = data.omitted;
  const left = [
    some && counted(some, "file"), pairs && `${counted(pairs, "pair")} of files that use each other`,
    others && counted(others, "symbol"),
  ].filter(Boolean).join(", ");
  const roles = Object.entries(data.left_out).map(([role, count]) => `${number(count)} ${role}`).join(", ");
  return [
    left && `For want of room these are left out: ${left}. Ask for a larger page with --max-bytes.`,
    "It shows one snapshot, and nothing that changed since.",
    "Calls through values that cannot be followed are counted as unresolved, not guessed.",
    roles && `Files that are not in it: ${roles}.`,
    ...data.unknown,
  ].filter(Boolean);
};

// -- parts and edges --------------------------------------------------------------------------

const partView = (part) => {
  const own = [...part.files].map((id) => files[id]).sort((a, b) => (a.path < b.path ? -1 : 1));
  const offered = own.flatMap((file) => file.symbols).filter((symbol) => symbol.tier < 2);
  const calls = STATES.map((_, at) => own.reduce((sum, file) => sum + file.calls[at], 0));
  const others = cycleOf.get(part.id)?.filter((id) => id !== part.id);
  const missing = part.count - own.length;
  const edgeRow = (outwards) => (relation) => {
    const [from, to] = outwards ? [part, relation.other] : [relation.other, part];
    return [
      link(edgePlace(from, to), relation.other.key),
      closing.has(`${from.id}>${to.id}`) && tag("closes a cycle", "doubt"),
      !relation.imports && !relation.uses && tag("only in doubt", "doubt"), muted(sized(relation)),
    ];
  };
  return [
    crumbs(part),
    element("h2", {}, part.label),
    element("p", { class: "kind" }, part.standsFor ?
      `stands for ${counted(part.standsFor, "part")} for which the picture has no room` : `${part.kind} ${part.key}`),
    element("ul", { class: "facts" }, fact(part.count, "file"), fact(part.lines, "line"),
      element("li", {}, part.tests ? `used by ${counted(part.tests, "test file")}` : "no test names it")),
    others && warning("In a cycle with ", joined(others, (id) => partLink(parts[id]))),
    section("Uses", relations(part, true), edgeRow(true)),
    section("Used by", relations(part, false), edgeRow(false)),
    section("Parts inside", part.inner, partRow),
    section("Public symbols", mostUsed(offered), symbolRow),
    callBar(calls),
    section("Files", own, fileRow,
      missing > 0 ? `${counted(missing, "more file")} for which the page has no room` : ""),
  ];
};

const edgeView = (from, to) => {
  const { ties: some, ...sum } = between(from, to);
  const back = between(to, from);
  some.sort((a, b) => b.imports + b.uses - a.imports - a.uses || b.doubtful - a.doubtful);
  return [
    crumbs(from),
    element("h2", {}, link(partPlace(from), from.key), " uses ", link(partPlace(to), to.key)),
    element("p", {}, sized(sum) || "No use is known in this page."),
    closing.has(`${from.id}>${to.id}`) && warning(
      "Closes a cycle. Of all ways to break the cycles, one that carries little is marked so."),
    back.ties.length > 0 && element(
      "p", {}, link(edgePlace(to, from), `${to.label} also uses ${from.label}`), " ", muted(sized(back))),
    section("Where", some, (tie) => [
      fileLink(tie.user), " uses ", joined(tie.used, fileLink, " or "), tie.doubtful > 0 && tag("ambiguous", "doubt"),
      muted(sized(tie)), witnesses(tie),
    ]),
  ];
};

const testsView = (label) => {
  const inside = (file) => (file.path.split("/").slice(0, -1).slice(0, 2).join("/") || ".") === label;
  const some = files.filter((file) => file.role === "test" && inside(file));
  return [element("h2", {}, label), section("Test files", some, fileRow)];
};

// -- files and symbols ------------------------------------------------------------------------

const fileView = (file) => {
  const about = [`${file.role} file`, counted(file.lines, "line"), file.entry && `entry point (${file.entry})`];
  const missing = file.count - file.symbols.length;
  const left = file.role === "test" ? "Tests are told by file."
    : missing ? `${counted(missing, "more symbol")} for which the page has no room` : "";
  const [tests, sources] = [true, false].map((is) => file.users.filter((tie) => (tie.user.role === "test") === is));
  const tieRow = (others) => (tie) => [
    joined(others(tie), fileLink, " or "), tie.doubtful > 0 && tag("ambiguous", "doubt"),
    muted(sized(tie), tie.lines.length ? ` · at line ${tie.lines.join(", ")}` : ""),
  ];
  return [
    file.part && crumbs(file.part),
    element("h2", {}, file.path),
    element("p", { class: "kind" }, about.filter(Boolean).join(", ")),
    section("Symbols", file.symbols, (symbol) => [
      link(symbolPlace(symbol), symbol.key), element("span", { class: "kind" }, ` ${symbol.kind}`),
      symbol.tier === 2 && tag("inner"), muted(`line ${symbol.line}`, symbol.doc && ` · ${symbol.doc}`),
    ], left),
    section("Uses", file.ties, tieRow((tie) => tie.used)),
    section("Used by", sources, tieRow((tie) => [tie.user])),
    section("Used by tests", tests, tieRow((tie) => [tie.user])),
    callBar(file.calls),
  ];
};

const useRow = (other) => (use) => {
  const file = use.user.file ?? use.user;
  const ways = use.bits & CALL ? [] : WAYS.filter(([bit]) => use.bits & bit).map(([, word]) => word);
  return [
    userLink(other(use)), ways.length > 0 && tag(ways.join(", ")), !(use.bits & CERTAIN) && tag("ambiguous", "doubt"),
    use.bits & SEMANTIC ? tag("semantic") : false, file.role === "test" && tag("test", "test"),
    muted(`${file.path}:${use.line}`, use.sites > 1 ? ` and ${counted(use.sites - 1, "more place")}` : ""),
  ];
};

const symbolView = (symbol) => {
  const byCertainty = (a, b) => (b.bits & CERTAIN) - (a.bits & CERTAIN) || b.sites - a.sites;
  const [users, used] = [symbol.users, symbol.uses].map((uses) => uses.sort(byCertainty));
  const calls = (use) => use.bits & CALL, others = (use) => !calls(use);
  const byUser = useRow((use) => use.user), byUsed = useRow((use) => use.used);
  const left = (count, noun) => (count ? `${counted(count, noun)} for which the page has no room` : "");
  const doubts = [
    symbol.external && `calls in it that leave the repository: ${number(symbol.external)}`,
    symbol.unresolved && `calls in it that could not be resolved: ${number(symbol.unresolved)}`,
    symbol.asked && `unresolved calls by this name, which may mean it: ${number(symbol.asked)}`,
  ].filter(Boolean);
  return [
    symbol.file.part && crumbs(symbol.file.part),
    element("h2", {}, symbol.key),
    element("p", { class: "kind" }, `${symbol.kind}, `,
      link(place("file", symbol.file.path), `${symbol.file.path}:${symbol.line}`),
      symbol.end > symbol.line && ` to ${symbol.end}`),
    code(symbol.text),
    symbol.doc && element("p", {}, symbol.doc),
    element("p", { class: "kind" }, symbol.usedBy ?
      `used by ${counted(symbol.usedBy, "other file")}, ${number(symbol.tests)} of them tests`
      : "no other file is known to use it"),
    section("Called by", users.filter(calls), byUser, left(symbol.moreUsers, "more user")),
    section("Calls", used.filter(calls), byUsed, left(symbol.moreUsed, "more used symbol")),
    section("Otherwise used by", users.filter(others), byUser),
    section("Otherwise uses", used.filter(others), byUsed),
    doubts.length > 0 && [heading("What is not known"), bullets(doubts)],
    impactView(symbol),
  ];
};

const impactView = (symbol) => {
  const levels = impact(symbol, STEPS);
  const step = ({ users, left }, at) => {
    const doubt = users.filter(([, certain]) => !certain).length;
    const rest = [
      users.length > FEW && `and ${number(users.length - FEW)} more`,
      left && `and ${number(left)} without room in the page`,
    ].filter(Boolean);
    return element("div", {},
      element("b", {}, counted(at + 1, "step")),
      muted(` ${number(users.length)}`, doubt ? `, ${number(doubt)} in doubt` : ""),
      element("ul", { class: "rows" }, users.slice(0, FEW).map(([user, certain]) => (
        element("li", {}, userLink(user), !certain && tag("ambiguous", "doubt"))))),
      rest.map((text) => element("div", {}, muted(text))));
  };
  return levels.length > 0 && [
    heading("Impact of a change"),
    element("div", { class: "ripple" }, levels.map(step)),
    element("p", {}, muted("Along the uses in this page. All of it, also through overridden methods: "),
      element("code", {}, `everdex impact ${symbol.file.path}::${symbol.key}`)),
  ];
};
