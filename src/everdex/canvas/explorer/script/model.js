// The data of the page as objects that know each other. Rows are unpacked here, once, in the order in which
// `fitting.py` packs them; nothing else knows it.

const data = JSON.parse(document.getElementById("data").textContent);
const CERTAIN = 1, CALL = 2, WRITE = 8, SEMANTIC = 128; // bits of a use

const files = data.files.map(([path, role, lines, entry, count, ...calls], id) => (
  { id, path, role, lines, entry, count, calls, symbols: [], ties: [], users: [], part: null }));
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
for (const part of parts) part.inner = part.inner.map((child) => parts[child]);
for (const part of parts) for (const child of part.inner) child.above = part;
for (const part of parts) {
  for (const id of part.own) files[id].part = part;
  for (let here = part; here; here = here.above) part.own.forEach((id) => here.files.add(id));
}

// Which file uses which; one with several `used` is in doubt about them.
const ties = [
  ...data.ties.map(([user, used, imports, uses, lines]) => (
    { user: files[user], used: [files[used]], imports, uses, doubtful: 0, lines })),
  ...data.doubts.map(([user, used, doubtful, lines]) => (
    { user: files[user], used: used.map((id) => files[id]), imports: 0, uses: 0, doubtful, lines })),
];
for (const tie of ties) {
  tie.user.ties.push(tie);
  for (const file of tie.used) if (file !== tie.user) file.users.push(tie);
}

// Which symbol uses which; code outside of any definition, and a test, is its file.
const connect = (user, flat) => {
  for (let at = 0; at < flat.length; at += 4) {
    const use = { user, used: symbols[flat[at]], bits: flat[at + 1], sites: flat[at + 2], line: flat[at + 3] };
    user.uses?.push(use);
    use.used.users.push(use);
  }
};
data.uses.forEach((flat, id) => connect(symbols[id], flat));
for (const [id, flat] of Object.entries(data.file_uses)) connect(files[id], flat);

// The part in which `file` is for whoever stands in `part`: the largest one that does not hold him.
const seenFrom = (part, file) => {
  const [within] = part.files;
  let found = null;
  for (let here = file.part; here && !here.files.has(within); here = here.above) found = here;
  return found;
};

// What a part uses, or by whom it is used: of each other part the ties with it, the heaviest first.
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

// Who leads to a symbol, step by step, along the uses that the page holds; and how many it has no room for.
const impact = (symbol, steps) => {
  const seen = new Set([symbol]);
  const levels = [];
  for (let here = [[symbol, true]]; here.length && levels.length < steps;) {
    const next = new Map();
    for (const [reached, certain] of here) {
      for (const use of reached.users) {
        if (seen.has(use.user) || (use.bits & ~(CERTAIN | SEMANTIC)) === WRITE) continue; // who only writes it is not affected
        next.set(use.user, next.get(use.user) || (certain && Boolean(use.bits & CERTAIN)));
      }
    }
    for (const user of next.keys()) seen.add(user);
    const left = here.reduce((sum, [reached]) => sum + reached.moreUsers, 0);
    if (next.size || left) levels.push({ users: [...next].sort((a, b) => b[1] - a[1]), left });
    here = [...next].filter(([user]) => user.file); // nobody calls a file
  }
  return levels;
};
