// The TextMate grammar on every example: comments, numbers and reserved words have their scopes,
// everywhere and nowhere else.
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const oniguruma = require('vscode-oniguruma');
const textmate = require('vscode-textmate');

const root = path.join(__dirname, '..');
const reserved = new Set(('sort mutable immutable derived relation constant function init transition invariant axiom zerostate ' +
  'onestate twostate theorem definition modifies sat unsat fbii forall exists distinct if then else let in bool int true false').split(' '));

function examples(dir) {
  return fs.readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter(f => f.isFile() && f.name.endsWith('.ere')).map(f => path.join(f.parentPath ?? f.path, f.name));
}

test('every example', async () => {
  await oniguruma.loadWASM(fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm')).buffer);
  const registry = new textmate.Registry({
    onigLib: Promise.resolve({
      createOnigScanner: p => new oniguruma.OnigScanner(p), createOnigString: s => new oniguruma.OnigString(s),
    }),
    loadGrammar: async () => textmate.parseRawGrammar(
      fs.readFileSync(path.join(root, 'syntaxes', 'erelong.tmLanguage.json'), 'utf8'), 'erelong.json'),
  });
  const grammar = await registry.loadGrammar('source.erelong');
  const files = examples(path.join(root, '..', '..', 'examples'));
  assert.ok(files.length > 40, `only ${files.length} examples`);
  for (const file of files) {
    let stack = textmate.INITIAL;
    fs.readFileSync(file, 'utf8').split('\n').forEach((line, i) => {
      const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
      stack = ruleStack;
      const where = `${file}:${i + 1}: ${line}`;
      const hash = line.indexOf('#');
      const scopeAt = at => tokens.find(t => t.startIndex <= at && at < t.endIndex).scopes.join(' ');
      if (hash >= 0) {
        assert.match(scopeAt(hash), /comment/, where);
      }
      const code = hash >= 0 ? line.slice(0, hash) : line;
      for (const m of code.matchAll(/@?[A-Za-z_0-9-]*[A-Za-z_0-9]/g)) {
        const scope = scopeAt(m.index);
        assert.doesNotMatch(scope, /comment/, where);
        if (reserved.has(m[0])) {
          assert.match(scope, /keyword|storage\.type|constant\.language/, `${m[0]} in ${where}`);
        }
        if (/^[0-9]+$/.test(m[0])) {
          assert.match(scope, /numeric/, `${m[0]} in ${where}`);
        }
      }
      for (const [pattern, scope] of [
        [/\b(match|for|union|without|subset|is) [a-z{]/g, /keyword/],
        [/: (set|seq|option|map)\[/g, /storage\.type/],
        [/[)\]]\.([a-z_]+)\b(?! *\()/g, /property/],
      ]) {
        for (const m of code.matchAll(pattern)) {
          assert.match(scopeAt(m.index + m[0].indexOf(m[1])), scope, `${m[1]} in ${where}`);
        }
      }
      for (const m of code.matchAll(/^\s*(action|fair|strong|liveness|temporal|instance|expect|enum|algorithm|about|require|choose)\s/g)) {
        assert.match(scopeAt(m.index + m[0].indexOf(m[1])), /keyword/, where);
      }
    });
  }
});
