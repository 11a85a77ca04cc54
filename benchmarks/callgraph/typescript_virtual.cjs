/* What every call of a member may run by TypeScript's own checker, heirs and implementations counted, for virtual.py.
 *
 *   TYPESCRIPT=…/node_modules/typescript node typescript_virtual.cjs TREE OUT
 *
 * OUT is a JSON list, [path, line, column, how, [[path, line], …], [[path, line], …], [[path, line], …]] each: the name of
 * the member, its column in UTF-16 units; how the receiver is known (`this`, `stated` by a type that is written and nothing
 * else, `made` by an expression); the bodies that a value of its type, or one of a class below, has under the name; those that object
 * literals have which have to be of the type; and what declares the member. Below a type is what names it in a heritage
 * clause, directly or by others; what only has the same shape is not. How imports are found typescript_workspace.cjs says.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const { open, ts } = require("./typescript_workspace.cjs");

const tree = fs.realpathSync(process.argv[2]);
const workspace = open(tree);
const { checker, sources } = workspace;

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
const isHere = (declaration) => workspace.isHere(declaration.getSourceFile().fileName);
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
    if (!called?.type || called.body) return "made";
    // what a value gives that is itself known better than by a type: of `descriptor.create()` the method is known
    return ts.isPropertyAccessExpression(node.expression) ? how(node.expression.expression, depth + 1) : how(node.expression, depth + 1);
  }
  const symbol = ts.isIdentifier(node) || ts.isPropertyAccessExpression(node) ? checker.getSymbolAtLocation(node) : undefined;
  let declaration = symbol?.declarations?.find((each) => !ts.isShorthandPropertyAssignment(each));
  if (declaration && (ts.isImportSpecifier(declaration) || ts.isImportClause(declaration))) {
    declaration = checker.getAliasedSymbol(symbol).declarations?.[0];
  }
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
