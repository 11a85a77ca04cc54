/* Where every called name of a tree leads by TypeScript's own checker, for servers.py.
 *
 *   TYPESCRIPT=…/node_modules/typescript node typescript_sites.cjs TREE OUT
 *
 * OUT is a JSON list, [path, line, column, [[path, line], …]] each: the name that is called, constructed or a tag of JSX, its
 * column in UTF-16 units, and the lines of the names that its declarations have; the path of what is outside is empty. A
 * name of which the checker knows nothing is left out. How imports are found typescript_workspace.cjs says.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const { open, ts } = require("./typescript_workspace.cjs");

const tree = fs.realpathSync(process.argv[2]);
const { checker, isHere, sources } = open(tree);

function place(declaration) {
  const source = declaration.getSourceFile();
  if (!isHere(source.fileName)) return ["", 0];
  const inside = path.relative(tree, source.fileName);
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
for (const source of sources) {
  const inside = path.relative(tree, source.fileName);
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
