/* A program of TypeScript over a whole tree, for typescript_sites.cjs and typescript_virtual.cjs.
 *
 * Options are those of the tree's own tsconfig.json, if it has one. Packages of the workspace are found by their package.json,
 * built files of theirs at their sources; `paths` of nested projects by the nearest tsconfig that has some. Nothing is
 * looked for in node_modules that the tree does not contain.
 */
"use strict";
const fs = require("fs");
const path = require("path");
const ts = require(process.env.TYPESCRIPT || "typescript");

exports.ts = ts;
exports.open = function open(tree) {
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
  const read = (file) => ts.parseJsonConfigFileContent(ts.readConfigFile(file, ts.sys.readFile).config, ts.sys, path.dirname(file)).options;
  const stated = ts.findConfigFile(tree, ts.sys.fileExists);
  const options = {
    ...(stated ? read(stated) : {}), allowJs: true, checkJs: true, noEmit: true, skipLibCheck: true,
    target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler,
    allowImportingTsExtensions: true, jsx: ts.JsxEmit.Preserve, composite: false, incremental: false, rootDir: undefined, types: [],
  };
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
  const projects = new Map(); // directory -> options of the nearest tsconfig that has `paths`
  function project(directory) {
    if (!projects.has(directory)) {
      const file = ["tsconfig.json", "tsconfig.base.json"].map((each) => path.join(directory, each)).find((each) => fs.existsSync(each));
      const own = file ? read(file) : {};
      const inside = directory !== tree && directory.startsWith(tree);
      projects.set(directory, own.paths ? { ...options, paths: own.paths, baseUrl: own.baseUrl, pathsBasePath: own.pathsBasePath }
        : inside ? project(path.dirname(directory)) : options);
    }
    return projects.get(directory);
  }
  const host = ts.createCompilerHost(options);
  host.resolveModuleNameLiterals = (literals, from) => literals.map(({ text }) => {
    const plain = ts.resolveModuleName(text, from, project(path.dirname(from)), host).resolvedModule;
    return { resolvedModule: plain || (text.startsWith(".") ? undefined : inWorkspace(text)) };
  });
  const program = ts.createProgram(files, options, host);
  const isHere = (file) => !/^\.\.|node_modules/.test(path.relative(tree, file));
  return { program, checker: program.getTypeChecker(), isHere, sources: program.getSourceFiles().filter((each) => isHere(each.fileName)) };
};
