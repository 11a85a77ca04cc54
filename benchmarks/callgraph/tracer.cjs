/* Notes which function of a JavaScript or TypeScript project called which, while its own tests ran.
 *
 *   TYPESCRIPT=…/node_modules/typescript node tracer.cjs TREE FUNCTIONS     rewrites the scripts of TREE in place
 *   EVERDEX_TRACE_OUT=DIRECTORY NODE_OPTIONS="--require …/tracer.cjs" …     runs them
 *
 * Every function of the tree (node_modules apart) gets a call at its beginning, on the same line, that looks at the stack.
 * Its own frame is known from then on by where V8 says that its function begins, in whatever a transpiler or bundler made
 * of the file; the frame below is who called it. An edge is direct when both are of the tree and nothing stands between
 * them on the synchronous stack: neither a library nor generated code, nor a function that was resumed after `await`.
 *
 * - `call`, `apply`, `bind`, getters, setters, iteration, conversions and `new` leave no frame: such edges are direct.
 * - What a builtin runs (the callback of `map`) is noted as an edge through a builtin.
 * - A generator is called where it is called, not where it is first resumed: the call stands in a parameter's default.
 * - A constructor that nobody wrote is looked through: `new Child()` calls `Base.constructor`.
 * - Modules and class bodies (field initialisers, static blocks) are callers but never callees.
 *
 * FUNCTIONS is a JSON list, [path, kind, start byte, end byte, line, name] each; DIRECTORY gets one file a process: lines
 * `D place function` (the function that begins there) and `E callee place through` (place called callee).
 */
"use strict";
const fs = require("fs");
const path = require("path");

const SCRIPT = /(?<!\.d)\.[cm]?[jt]sx?$/;
const DEPTH = 8;

function record(out) {
  const { threadId } = require("worker_threads");
  const file = path.join(out, `${process.pid}-${threadId}.txt`);
  const known = new Map();
  const seen = new Set();
  const write = (line) => fs.appendFileSync(file, `${line}\n`);
  const placed = (frame) => `${frame.getFileName()}:${frame.getEnclosingLineNumber()}:${frame.getEnclosingColumnNumber()}`;

  function stack(above) {
    const { stackTraceLimit, prepareStackTrace } = Error;
    try {
      Error.stackTraceLimit = DEPTH;
      Error.prepareStackTrace = (_, frames) => frames;
      const holder = {};
      Error.captureStackTrace(holder, above);
      return holder.stack;
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
      Error.prepareStackTrace = prepareStackTrace;
    }
  }

  function learn(place, id) {
    if (known.get(place) === id) return;
    known.set(place, id);
    write(`D ${JSON.stringify(place)} ${id}`);
  }

  globalThis.__everdexModule = function entered(id) {
    learn(placed(stack(entered)[0]), id);
  };
  // V8 has no frame of a class itself. What runs for its fields begins where the class does: as many lines above this call
  // as its text has before it.
  globalThis.__everdexClass = function entered(id, made) {
    const [own] = stack(entered);
    const [above] = Function.prototype.toString.call(made).split(`__everdexClass?.(${id},`);
    learn(placed(own), id);
    learn(`${own.getFileName()}:${own.getLineNumber() - above.split("\n").length + 1}:class`, id);
  };
  globalThis.__everdexEntered = function entered(id) {
    const [own, ...below] = stack(entered);
    learn(placed(own), id);
    let through = 0;
    for (const frame of below) {
      if (frame.isAsync()) return;
      if (!frame.getFileName()) {
        if (frame.getLineNumber() !== null) return; // code that was generated
        through = 1;
        continue;
      }
      const ofClass = `${frame.getFileName()}:${frame.getEnclosingLineNumber()}:class`;
      const initialises = frame.getFunctionName() === "<instance_members_initializer>";
      if (frame.isConstructor() && known.has(ofClass) && !known.has(placed(frame))) continue; // which nobody wrote
      const edge = `E ${id} ${JSON.stringify(initialises ? ofClass : placed(frame))} ${through}`;
      if (!seen.has(edge)) {
        seen.add(edge);
        write(edge);
      }
      return;
    }
  };
}

function rewrite(tree, out) {
  const ts = require(process.env.TYPESCRIPT || "typescript");
  const functions = [];

  function instrumented(text, file) {
    const kind = file.endsWith("x") ? ts.ScriptKind.TSX : /\.[cm]?ts$/.test(file) ? ts.ScriptKind.TS : ts.ScriptKind.JSX;
    const parsed = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, kind);
    if (parsed.parseDiagnostics.length) return text;
    const added = [];
    const note = (node, what, name) => {
      const [start, end] = [node.getStart(), node.end];
      const line = parsed.getLineAndCharacterOfPosition(start).line + 1;
      const bytes = (until) => Buffer.byteLength(text.slice(0, until));
      functions.push([path.relative(tree, file), what, bytes(start), bytes(end), line, name]);
      return functions.length - 1;
    };
    const afterDirectives = (statements, start) => {
      let at = start;
      for (const each of statements) {
        if (!ts.isExpressionStatement(each) || !ts.isStringLiteral(each.expression)) break;
        at = each.end;
      }
      return at;
    };
    const enter = (node) => {
      const id = note(node, "function", node.name ? node.name.getText() : "");
      const call = `globalThis.__everdexEntered?.(${id})`;
      if (!ts.isBlock(node.body)) {
        added.push([node.body.getStart(), `(${call},`], [node.body.end, ")"]);
        return;
      }
      const begins = node.body.getStart() + 1;
      const at = afterDirectives(node.body.statements, begins);
      const { parameters } = node;
      if (node.asteriskToken && at === begins && !(parameters.length && parameters[parameters.length - 1].dotDotDotToken)) {
        const comma = parameters.length && !parameters.hasTrailingComma ? "," : "";
        added.push([parameters.end, `${comma}__everdex=${call}`]);
      } else {
        added.push([at, `;${call};`]);
      }
    };
    const visit = (node) => {
      if (ts.isFunctionLike(node) && node.body) enter(node);
      if (ts.isClassLike(node)) {
        const brace = text.indexOf("{", Math.max(node.members.pos - 1, node.pos));
        added.push([brace + 1, `static{globalThis.__everdexClass?.(${note(node, "class", node.name ? node.name.text : "")},this);}`]);
      }
      ts.forEachChild(node, visit);
    };
    visit(parsed);
    const start = text.startsWith("#!") ? text.indexOf("\n") + 1 : 0;
    const module = functions.push([path.relative(tree, file), "module", 0, Buffer.byteLength(text), 1, ""]) - 1;
    added.push([afterDirectives(parsed.statements, start), `;globalThis.__everdexModule?.(${module});`]);
    added.sort((left, right) => left[0] - right[0]);
    let [made, done] = ["", 0];
    for (const [at, insert] of added) {
      made += text.slice(done, at) + insert;
      done = at;
    }
    return made + text.slice(done);
  }

  const walk = (directory) => {
    for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
      const inside = path.join(directory, entry.name);
      if (entry.name === "node_modules" || entry.name.startsWith(".")) continue;
      if (entry.isDirectory()) walk(inside);
      else if (entry.isFile() && SCRIPT.test(entry.name)) {
        fs.writeFileSync(inside, instrumented(fs.readFileSync(inside, "utf8"), inside));
      }
    }
  };
  walk(tree);
  fs.writeFileSync(out, JSON.stringify(functions));
}

if (require.main === module) rewrite(fs.realpathSync(process.argv[2]), process.argv[3]);
else if (process.env.EVERDEX_TRACE_OUT) record(process.env.EVERDEX_TRACE_OUT);
