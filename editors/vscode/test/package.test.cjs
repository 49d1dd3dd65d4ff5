// What the manifest names exists, and the language configuration and the snippets can be read.
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const read = name => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));

test('the manifest', () => {
  const { contributes } = read('package.json');
  for (const l of contributes.languages.filter(l => l.configuration)) {
    const configuration = read(l.configuration);
    new RegExp(configuration.wordPattern);
    new RegExp(configuration.indentationRules.increaseIndentPattern);
    new RegExp(configuration.indentationRules.decreaseIndentPattern);
  }
  for (const g of contributes.grammars) {
    assert.strictEqual(read(g.path).scopeName, g.scopeName);
  }
  for (const s of contributes.snippets) {
    for (const [name, snippet] of Object.entries(read(s.path))) {
      assert.ok(snippet.prefix && snippet.body.length && snippet.description, name);
    }
  }
});

test('every language is served', () => {
  const source = fs.readFileSync(path.join(root, 'src', 'extension.ts'), 'utf8');
  const { activationEvents, contributes: { languages } } = read('package.json');
  for (const { id } of languages) {
    assert.ok(activationEvents.includes(`onLanguage:${id}`) && source.includes(`{ language: '${id}' }`), id);
  }
  assert.deepStrictEqual(languages.flatMap(l => l.extensions).sort(), ['.ere', '.ivy', '.pyv', '.xta']);
});

test('every command is registered', () => {
  const source = fs.readFileSync(path.join(root, 'src', 'extension.ts'), 'utf8');
  for (const { command } of read('package.json').contributes.commands) {
    assert.ok(source.includes(`registerCommand('${command}'`), command);
  }
});
