// The Testing view follows the states of the properties. The module vscode is a stand-in here.
const test = require('node:test');
const assert = require('node:assert');
const { load } = require('./load.cjs');

class Items extends Map {
  add(item) { this.set(item.id, item); }
  replace(items) { this.clear(); items.forEach(i => this.add(i)); }
  forEach(f) { [...this.values()].forEach(f); }
}

// view is the Testing view with one document of two properties.
function view() {
  const log = [];
  let profile;
  const controller = {
    items: new Items(),
    createTestItem: (id, label, uri) => ({ id, label, uri, children: new Items() }),
    createRunProfile: (_name, _kind, run) => { profile = run; },
    createTestRun: () => {
      const say = what => item => log.push(item ? `${what} ${item.label}` : what);
      return Object.fromEntries(['enqueued', 'started', 'passed', 'failed', 'errored', 'skipped', 'end'].map(w => [w, say(w)]));
    },
    invalidateTestResults: () => {},
  };
  const { Tests } = load('tests', {
    tests: { createTestController: () => controller }, TestRunProfileKind: { Run: 1 },
    workspace: { asRelativePath: String }, Range: class {}, Location: class {}, TestMessage: class {}, TestRunRequest: class {},
  });
  const asked = [];
  const tests = new Tests(async (_uri, property) => { asked.push(property); });
  const position = { line: 0, character: 0 };
  const show = states => tests.show({ uri: 'file:///a.ere' }, {
    uri: 'file:///a.ere', version: 1,
    properties: Object.entries(states).map(([name, state]) => ({ name, kind: 'safety', range: { start: position, end: position }, state })),
  });
  const run = () => profile({}, { onCancellationRequested: () => {} });
  return { log, asked, show, run };
}

test('a run ends with the last verdict', async () => {
  const { log, asked, show, run } = view();
  show({ p: 'stale', q: 'stale' });
  await run();
  assert.deepStrictEqual(asked, ['p', 'q']);
  show({ p: 'queued', q: 'stale' });
  show({ p: 'running', q: 'queued' });
  show({ p: 'holds', q: 'queued' });
  assert.ok(!log.includes('end'));
  show({ p: 'holds', q: 'running' });
  show({ p: 'holds', q: 'violated' });
  assert.deepStrictEqual(log.slice(-2), ['failed q', 'end']);
  assert.ok(log.includes('passed p'));
});

test('a run ends when the text changes, or its verification stops', async () => {
  const { log, show, run } = view();
  show({ p: 'stale', q: 'stale' });
  await run();
  show({ p: 'running', q: 'queued' });
  show({ p: 'stale', q: 'stale' });
  assert.deepStrictEqual(log.slice(-3), ['skipped p', 'skipped q', 'end']);
});

test('a run ends when its properties are gone', async () => {
  const { log, show, run } = view();
  show({ p: 'stale', q: 'stale' });
  await run();
  show({ p: 'running', q: 'queued' });
  show({}); // a text with errors
  assert.deepStrictEqual(log.slice(-3), ['skipped p', 'skipped q', 'end']);
});
