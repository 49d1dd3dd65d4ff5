// load runs a source of the extension with stand-ins for what only VS Code has.
const fs = require('node:fs');
const path = require('node:path');
const ts = require('typescript');

function load(name, vscode) {
  const file = path.join(__dirname, '..', 'src', name + '.ts');
  const { outputText } = ts.transpileModule(fs.readFileSync(file, 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022, esModuleInterop: true },
  });
  const module = { exports: {} };
  const needs = id => id === 'vscode' ? vscode
    : id.startsWith('./') ? load(id.slice(2), vscode)
    : id.startsWith('node:') ? require(id)
    : { NotificationType: class {} };
  new Function('require', 'module', 'exports', outputText)(needs, module, module.exports);
  return module.exports;
}

module.exports = { load };
