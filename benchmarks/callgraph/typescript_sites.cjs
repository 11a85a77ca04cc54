/* Where every called name of a tree leads by TypeScript's own checker, for servers.py.
 *
 *   TYPESCRIPT=…/node_modules/typescript node typescript_sites.cjs TREE OUT
 *
 * OUT is a JSON list, [path, line, column, [[path, line], …]] each: the name that is called, constructed or a tag of JSX, its
 * column in UTF-16 units, and the lines of the names that its declarations have; the path of what is outside is empty. A
 * name of which the checker knows nothing is left out. Paths and suffixes are those of the tree's own tsconfig.json.
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
    else if (entry.isFile() && /\.[cm]?[jt]sx?$/.test(entry.name)) files.push(inside);
  }
};
walk(tree);
const stated = ts.findConfigFile(tree, ts.sys.fileExists);
const own = stated ? ts.parseJsonConfigFileContent(ts.readConfigFile(stated, ts.sys.readFile).config, ts.sys, tree).options : {};
const program = ts.createProgram(files, {
  ...own, allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true, target: ts.ScriptTarget.ESNext,
  module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, allowImportingTsExtensions: true,
  jsx: ts.JsxEmit.Preserve, composite: false, incremental: false, rootDir: undefined, types: [],
});
const checker = program.getTypeChecker();

function place(declaration) {
  const source = declaration.getSourceFile();
  const inside = path.relative(tree, source.fileName);
  if (inside.startsWith("..") || inside.includes("node_modules")) return ["", 0];
  const name = ts.getNameOfDeclaration(declaration) || declaration;
  return [inside, source.getLineAndCharacterOfPosition(name.getStart()).line + 1];
}
function leads(name) {
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return (symbol?.declarations || []).map(place);
}
const called = (node) => {
  if (ts.isCallExpression(node) || ts.isNewExpression(node)) return node.expression;
  if (ts.isTaggedTemplateExpression(node)) return node.tag;
  return ts.isJsxOpeningElement(node) || ts.isJsxSelfClosingElement(node) ? node.tagName : undefined;
};
function nameOf(callee) {
  while (ts.isParenthesizedExpression(callee) || ts.isNonNullExpression(callee) || ts.isAsExpression(callee)) callee = callee.expression;
  if (ts.isPropertyAccessExpression(callee)) return callee.name;
  return ts.isIdentifier(callee) ? callee : undefined;
}
const rows = [];
for (const source of program.getSourceFiles()) {
  const inside = path.relative(tree, source.fileName);
  if (inside.startsWith("..") || inside.includes("node_modules")) continue;
  const visit = (node) => {
    const callee = called(node);
    const name = callee && nameOf(callee);
    const told = name ? leads(name) : [];
    if (told.length) {
      const { line, character } = source.getLineAndCharacterOfPosition(name.getStart());
      rows.push([inside, line + 1, character, told]);
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
}
fs.writeFileSync(process.argv[3], `[${rows.map((row) => JSON.stringify(row)).join(",\n")}]\n`);
