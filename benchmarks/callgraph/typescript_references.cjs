// What TypeScript's language service says of some places: reads {root, files, options, places} and writes, for each
// place, the [path, line] of every reference but the definition itself. Run by typescript_references.py.
const fs = require('node:fs');
const path = require('node:path');
const ts = require(require.resolve('typescript', { paths: [process.cwd()] }));

const asked = JSON.parse(fs.readFileSync(0, 'utf8'));
const files = asked.files.map((file) => path.join(asked.root, file));
const config = path.join(asked.root, 'tsconfig.json');
const read = ts.readConfigFile(config, ts.sys.readFile).config ?? {};
const { options } = ts.parseJsonConfigFileContent({ ...read, files: [] }, ts.sys, asked.root, undefined, config);
const service = ts.createLanguageService({
  getScriptFileNames: () => files,
  getScriptVersion: () => '1',
  getScriptSnapshot: (file) => (fs.existsSync(file) ? ts.ScriptSnapshot.fromString(fs.readFileSync(file, 'utf8')) : undefined),
  getCurrentDirectory: () => asked.root,
  getCompilationSettings: () => ({ ...options, noEmit: true, allowJs: true }),
  getDefaultLibFileName: (given) => ts.getDefaultLibFilePath(given),
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
});
const program = service.getProgram();
const found = asked.places.map(([file, line, column]) => {
  const name = path.join(asked.root, file);
  const position = program.getSourceFile(name).getPositionOfLineAndCharacter(line - 1, column);
  const groups = service.findReferences(name, position) ?? [];
  return groups.flatMap((group) =>
    group.references
      .filter((use) => !use.isDefinition)
      .map((use) => {
        const source = program.getSourceFile(use.fileName);
        return [path.relative(asked.root, use.fileName), source.getLineAndCharacterOfPosition(use.textSpan.start).line + 1];
      }),
  );
});
fs.writeFileSync(1, JSON.stringify(found));
