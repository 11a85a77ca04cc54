/* What every call of a member may run by TypeScript's own checker, heirs and implementations counted, for virtual.py.
 *
 *   TYPESCRIPT=…/node_modules/typescript node typescript_virtual.cjs TREE OUT
 *
 * OUT is a JSON list, [path, line, column, how, [[path, line], …], [[path, line], …], [[path, line], …]] each: the name of
 * the member, its column in UTF-16 units; how the receiver is known (`this`, `stated` by a type that is written and nothing
 * else, `made` by an expression); the bodies that a value of its type, or one of a class below, has under the name; those that object
 * literals have which have to be of the type; and what declares the member. Below a type is what names it in a heritage
 * clause, directly or by others; what only has the same shape is not. Packages of the workspace are found by their
 * package.json, built files of theirs at their sources.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.env.TYPESCRIPT || "typescript");

const tree = fs.realpathSync(process.argv[2]);
const files = [];
const packages = new Map();
const walk = (directory) => {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const inside = path.join(directory, entry.name);
    if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
    if (entry.isDirectory()) walk(inside);
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name) && fs.statSync(inside).size < 1e6) files.push(inside);
    else if (entry.name === "package.json") {
      let content = {};
      try { content = JSON.parse(fs.readFileSync(inside, "utf8")); } catch { /* is none */ }
      if (content.name && !packages.has(content.name)) packages.set(content.name, [directory, content]);
    }
  }
};
walk(tree);
const stated = ts.findConfigFile(tree, ts.sys.fileExists);
const own = stated ? ts.parseJsonConfigFileContent(ts.readConfigFile(stated, ts.sys.readFile).config, ts.sys, tree).options : {};
const options = {
  ...own, allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, allowImportingTsExtensions: true,
  jsx: ts.JsxEmit.Preserve, composite: false, incremental: false, rootDir: undefined, types: [],
};

// -- imports of packages of the workspace, which are not built --------------------------------------------------------

const targets = (entry) => typeof entry === "string" ? [entry] : entry && typeof entry === "object" ? Object.values(entry).flatMap(targets) : [];
function entries(content, subpath) {
  const { exports } = content;
  if (exports && typeof exports === "object" && Object.keys(exports).some((key) => key.startsWith("."))) {
    const wanted = subpath ? `./${subpath}` : ".";
    for (const [pattern, entry] of Object.entries(exports)) {
      const [head, tail] = pattern.split("*");
      if (pattern === wanted) return targets(entry);
      if (tail !== undefined && wanted.startsWith(head) && wanted.endsWith(tail)) {
        return targets(entry).map((each) => each.replace("*", wanted.slice(head.length, wanted.length - tail.length)));
      }
    }
  }
  if (subpath) return [subpath, `src/${subpath}`];
  return [...targets(exports), ...[content.source, content.module, content.main, content.types].filter(Boolean), "src/index", "index"];
}
function inWorkspace(specifier) {
  const parts = specifier.split("/");
  const length = specifier.startsWith("@") ? 2 : 1;
  const found = packages.get(parts.slice(0, length).join("/"));
  if (!found) return undefined;
  for (const entry of entries(found[1], parts.slice(length).join("/"))) {
    const base = entry.replace(/^\.\//, "").replace(/(\.d)?\.[cm]?[jt]sx?$/, "");
    const inner = base.replace(/^((dist|build|lib|out|esm|cjs|es|types)\/)+/, "");
    for (const each of [base, `src/${inner}`, `lib/${inner}`, `src/exports/${inner}`, inner]) {
      for (const ending of [".ts", ".tsx", ".mts", ".js", ".mjs", ".d.ts", "/index.ts", "/index.tsx", "/index.js"]) {
        const file = path.join(found[0], each + ending);
        if (fs.existsSync(file)) return { resolvedFileName: file, extension: path.extname(file), isExternalLibraryImport: false };
      }
    }
  }
  return undefined;
}
const host = ts.createCompilerHost(options);
host.resolveModuleNameLiterals = (literals, from, redirected, settings) => literals.map(({ text }) => {
  const plain = ts.resolveModuleName(text, from, settings, host).resolvedModule;
  return { resolvedModule: plain || (text.startsWith(".") ? undefined : inWorkspace(text)) };
});
const program = ts.createProgram(files, options, host);
const checker = program.getTypeChecker();
const sources = program.getSourceFiles().filter((source) => {
  const inside = path.relative(tree, source.fileName);
  return !inside.startsWith("..") && !inside.includes("node_modules");
});

// -- what is below what -----------------------------------------------------------------------------------------------

const below = new Map(); // symbol of a class or interface, or of an object type -> nodes of what says that it is one
const note = (symbol, node) => symbol && below.set(symbol, (below.get(symbol) || new Set()).add(node));
const parts = (type) => type.isUnionOrIntersection() ? type.types.flatMap(parts) : [type];
for (const source of sources) {
  const visit = (node) => {
    if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) {
      for (const clause of node.heritageClauses || []) {
        for (const each of clause.types) for (const part of parts(checker.getTypeAtLocation(each))) note(part.symbol, node);
      }
    } else if (ts.isObjectLiteralExpression(node)) {
      const type = checker.getContextualType(node);
      for (const part of type ? parts(checker.getNonNullableType(type)) : []) note(part.symbol, node);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
const heirsOf = new Map();
function heirs(symbol) {
  let found = heirsOf.get(symbol);
  if (!found) {
    heirsOf.set(symbol, (found = new Set()));
    for (const node of below.get(symbol) || []) {
      found.add(node);
      if (!ts.isObjectLiteralExpression(node)) for (const each of heirs(node.symbol)) found.add(each);
    }
  }
  return found;
}

// -- bodies -----------------------------------------------------------------------------------------------------------

function place(declaration) {
  const source = declaration.getSourceFile();
  const name = ts.getNameOfDeclaration(declaration) || declaration;
  return [path.relative(tree, source.fileName), source.getLineAndCharacterOfPosition(name.getStart()).line + 1];
}
const isHere = (declaration) => !/^\.\.|node_modules/.test(path.relative(tree, declaration.getSourceFile().fileName));
const hasBody = (each) => (ts.isMethodDeclaration(each) && each.body) ||
  ((ts.isPropertyAssignment(each) || ts.isPropertyDeclaration(each)) && each.initializer && ts.isFunctionLike(each.initializer));
const declarations = (type, name) => (checker.getPropertyOfType(type, name)?.declarations || []).filter(isHere);
function instance(node) {
  return ts.isObjectLiteralExpression(node) ? checker.getTypeAtLocation(node) : checker.getDeclaredTypeOfSymbol(node.symbol);
}
const isStatic = (type) => type.symbol && type.symbol.flags & ts.SymbolFlags.Class && checker.getTypeOfSymbol(type.symbol) === type;
const bodiesOf = new Map();
/** What values of a type, or of one below it, run under a name: of classes, of literals. */
function bodies(type, name) {
  const { symbol } = type;
  const key = symbol && bodiesOf.get(symbol)?.get(name);
  if (key) return key;
  const found = [new Set(), new Set()];
  const add = (of, into) => declarations(of, name).filter(hasBody).forEach((each) => into.add(each));
  add(type, found[0]);
  for (const node of symbol ? heirs(symbol) : []) add(instance(node), found[ts.isObjectLiteralExpression(node) ? 1 : 0]);
  found[0].forEach((each) => { // a class may be given what an object literal has
    if (ts.isObjectLiteralExpression(each.parent)) { found[0].delete(each); found[1].add(each); }
  });
  if (symbol) bodiesOf.set(symbol, (bodiesOf.get(symbol) || new Map()).set(name, found));
  return found;
}

// -- calls ------------------------------------------------------------------------------------------------------------

function how(node, depth = 0) {
  while (ts.isParenthesizedExpression(node) || ts.isNonNullExpression(node) || ts.isAwaitExpression(node)) node = node.expression;
  if (node.kind === ts.SyntaxKind.ThisKeyword) return "this";
  if (ts.isAsExpression(node)) return "stated";
  if (ts.isCallExpression(node)) {
    const called = checker.getResolvedSignature(node)?.declaration;
    return called?.type && !called.body ? "stated" : "made";
  }
  const symbol = ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) ? checker.getSymbolAtLocation(node) : undefined;
  const declaration = symbol?.declarations?.find((each) => !ts.isShorthandPropertyAssignment(each));
  if (!declaration || depth > 4) return "made";
  if (ts.isVariableDeclaration(declaration)) return declaration.initializer ? how(declaration.initializer, depth + 1) : "made";
  if (declaration.initializer && ts.isNewExpression(declaration.initializer)) return "made";
  return declaration.type ? "stated" : "made";
}
const rows = [];
for (const source of sources) {
  const inside = path.relative(tree, source.fileName);
  const visit = (node) => {
    const callee = ts.isCallExpression(node) ? node.expression : undefined;
    if (callee && ts.isPropertyAccessExpression(callee) && callee.expression.kind !== ts.SyntaxKind.SuperKeyword) {
      const receiver = checker.getNonNullableType(checker.getApparentType(checker.getTypeAtLocation(callee.expression)));
      const told = [new Set(), new Set(), new Set()];
      for (const part of parts(receiver)) {
        if (isStatic(part)) continue;
        const declared = declarations(part, callee.name.text);
        declared.forEach((each) => told[2].add(each));
        if (declared.length) bodies(part, callee.name.text).forEach((found, at) => found.forEach((each) => told[at].add(each)));
      }
      if (told[0].size || told[1].size) {
        const { line, character } = source.getLineAndCharacterOfPosition(callee.name.getStart());
        rows.push([inside, line + 1, character, how(callee.expression), ...told.map((each) => [...each].map(place))]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
fs.writeFileSync(process.argv[3], `[${rows.map((row) => JSON.stringify(row)).join(",\n")}]\n`);
