/* Records which function of a project called which while its own tests ran.
 *
 *   EVERDEX_TRACE_ROOT=CHECKOUT EVERDEX_TRACE_OUT=DIRECTORY TYPESCRIPT=…/node_modules/typescript \
 *     NODE_OPTIONS="--require …/benchmarks/callgraph/tracer.cjs" npm test
 *
 * Every function of the checkout (without node_modules; CommonJS only) is given a call at its beginning, on the same
 * line, that looks at the stack: the frame below is who called it, and from which line. What a library calls is no edge.
 * One JSON file a process: [caller's path, line of the call, callee's path, line where the function begins, …].
 */
"use strict";
const fs = require("fs");
const path = require("path");
const Module = require("module");
const ts = require(process.env.TYPESCRIPT || "typescript");

const root = fs.realpathSync(process.env.EVERDEX_TRACE_ROOT) + path.sep;
const out = process.env.EVERDEX_TRACE_OUT;
const seen = new Set();
const inside = (file) => Boolean(file) && file.startsWith(root) && !file.includes(`${path.sep}node_modules${path.sep}`);

globalThis.__everdexEntered = function (line) {
  const limit = Error.stackTraceLimit;
  const prepare = Error.prepareStackTrace;
  Error.stackTraceLimit = 2;
  Error.prepareStackTrace = (_, frames) => frames;
  const holder = {};
  Error.captureStackTrace(holder, globalThis.__everdexEntered);
  const frames = holder.stack;
  Error.prepareStackTrace = prepare;
  Error.stackTraceLimit = limit;
  const [callee, caller] = frames;
  if (!caller || caller.isAsync() || !inside(caller.getFileName()) || !inside(callee.getFileName())) return;
  const from = caller.getFileName().slice(root.length);
  seen.add(JSON.stringify([from, caller.getLineNumber(), callee.getFileName().slice(root.length), line]));
};

function instrumented(text, file) {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true, ts.ScriptKind.JS);
  const added = [];
  const visit = (node) => {
    if (ts.isFunctionLike(node) && node.body) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      if (ts.isBlock(node.body)) {
        const directives = node.body.statements.filter(
          (each) => ts.isExpressionStatement(each) && ts.isStringLiteral(each.expression));
        const at = directives.length ? directives[directives.length - 1].end : node.body.getStart() + 1;
        added.push([at, `;__everdexEntered(${line});`]);
      } else {
        added.push([node.body.getStart(), `(__everdexEntered(${line}),`], [node.body.end, ")"]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  let made = text;
  added.map((each, number) => [...each, number]).sort((a, b) => b[0] - a[0] || b[2] - a[2])
    .forEach(([at, insert]) => { made = made.slice(0, at) + insert + made.slice(at); });
  return made;
}

const compile = Module.prototype._compile;
Module.prototype._compile = function (content, filename, ...rest) {
  return compile.call(this, inside(filename) ? instrumented(content, filename) : content, filename, ...rest);
};
process.on("exit", () => {
  if (seen.size) fs.writeFileSync(path.join(out, `${process.pid}.json`), `[${[...seen].join(",\n")}]\n`);
});
