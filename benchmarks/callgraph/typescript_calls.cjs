/* The calls of a tree as TypeScript's own checker resolves them, for javascript_traces.py.
 *
 *   TYPESCRIPT=…/node_modules/typescript node typescript_calls.cjs TREE OUT
 *
 * OUT is a JSON list, [path, kind, start byte, end byte] twice in each: a function, class or module, and the function that
 * a call, a construction or an accessor in it leads to. Calls and properties are resolved by the checker alone; what
 * implements a member that is only declared, it does not say. JavaScript is checked like TypeScript.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.env.TYPESCRIPT || "typescript");

const tree = fs.realpathSync(process.argv[2]);
const files = [];
const walk = (directory) => {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const inside = path.join(directory, entry.name);
    if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) walk(inside);
    else if (entry.isFile() && /(?<!\.d)\.[cm]?[jt]sx?$/.test(entry.name)) files.push(inside);
  }
};
walk(tree);
const stated = ts.findConfigFile(tree, ts.sys.fileExists);
const own = stated ? ts.parseJsonConfigFileContent(ts.readConfigFile(stated, ts.sys.readFile).config, ts.sys, tree).options : {};
const program = ts.createProgram(files, {
  ...own, allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.Node10, allowImportingTsExtensions: true,
  composite: false, incremental: false, rootDir: undefined, types: [],
});
const checker = program.getTypeChecker();

const bytes = new Map();
function place(node) {
  const source = node.getSourceFile();
  const { text, fileName } = source;
  const plain = text.length === Buffer.byteLength(text);
  if (!bytes.has(source)) bytes.set(source, plain ? (at) => at : (at) => Buffer.byteLength(text.slice(0, at)));
  const at = bytes.get(source);
  const kind = ts.isSourceFile(node) ? "module" : ts.isClassLike(node) ? "class" : "function";
  return [path.relative(tree, fileName), kind, at(kind === "module" ? 0 : node.getStart()), at(node.end)];
}
const around = (node) => ts.findAncestor(node.parent, (each) =>
  (ts.isFunctionLike(each) && each.body) || ts.isPropertyDeclaration(each) || ts.isSourceFile(each));
function bodyOf(declaration) {
  if (!declaration) return undefined;
  if (ts.isFunctionLike(declaration) && declaration.body) return declaration;
  const symbol = declaration.symbol;
  return symbol?.declarations?.find((each) => ts.isFunctionLike(each) && each.body); // the one behind an overload
}

const seen = new Set();
function edge(node, declaration) {
  const callee = bodyOf(declaration);
  if (!callee || path.relative(tree, callee.getSourceFile().fileName).startsWith("..")) return;
  let caller = around(node);
  if (ts.isPropertyDeclaration(caller)) caller = caller.parent;
  seen.add(JSON.stringify([...place(caller), ...place(callee)]));
}
function visit(node) {
  if (ts.isCallExpression(node) || ts.isNewExpression(node) || ts.isTaggedTemplateExpression(node)) {
    edge(node, checker.getResolvedSignature(node)?.declaration);
  } else if (ts.isPropertyAccessExpression(node)) {
    const written = node.parent && ts.isBinaryExpression(node.parent) && node.parent.left === node;
    const wanted = written ? ts.isSetAccessor : ts.isGetAccessor;
    edge(node, checker.getSymbolAtLocation(node.name)?.declarations?.find(wanted));
  }
  ts.forEachChild(node, visit);
}
for (const source of program.getSourceFiles()) {
  const inside = path.relative(tree, source.fileName);
  if (!inside.startsWith("..") && !inside.includes("node_modules")) visit(source);
}
fs.writeFileSync(process.argv[3], `[${[...seen].join(",\n")}]\n`);
