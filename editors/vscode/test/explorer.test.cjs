// The explorer in a panel: the page's own files, and its requests through the extension. The module
// vscode is a stand-in here, and so is the server, but for the page's files, which are the real ones.
const test = require('node:test');
const assert = require('node:assert');
const fs = require('node:fs');
const http = require('node:http');
const os = require('node:os');
const path = require('node:path');
const { load } = require('./load.cjs');

const page = path.join(__dirname, '..', '..', '..', 'internal', 'serve', 'page');

// server serves the page below a secret, and answers requests.
async function server(t) {
  const asked = [];
  const s = http.createServer((request, response) => {
    const name = request.url.replace('/secret/', '') || 'index.html';
    if (request.method === 'POST') {
      let body = '';
      request.on('data', chunk => { body += chunk; });
      request.on('end', () => {
        asked.push([name, request.headers['content-type'], JSON.parse(body)]);
        const known = name === 'api/file';
        response.writeHead(known ? 200 : 400, { 'Content-Type': 'application/json; charset=utf-8' });
        response.end(JSON.stringify(known ? { kind: 'specification' } : { error: 'there is none', diagnostics: [] }));
      });
    } else if (name === 'events/1') {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('data: {"text":"at ');
      setTimeout(() => response.end('work"}\n\ndata: {"text":"ende: ü","last":true}\n\n'), 20);
    } else if (request.url.startsWith('/secret/') && fs.existsSync(path.join(page, name))) {
      response.end(fs.readFileSync(path.join(page, name)));
    } else {
      response.writeHead(404).end('there is no such run');
    }
  });
  await new Promise(done => s.listen(0, '127.0.0.1', done));
  t.after(() => { s.closeAllConnections(); s.close(); });
  return { base: `http://127.0.0.1:${s.address().port}/secret/`, asked };
}

// panels is a stand-in for VS Code's panels.
function panels(t) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'erelong-panel-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const uri = p => ({ path: p, toString: () => p });
  const made = [];
  const external = [];
  const vscode = {
    Uri: { joinPath: (u, ...names) => uri(path.join(u.path, ...names)), parse: uri },
    ViewColumn: { Beside: -2 },
    env: { openExternal: async u => external.push(u.toString()) },
    workspace: { fs: {
      readFile: async u => fs.readFileSync(u.path), createDirectory: async u => fs.mkdirSync(u.path, { recursive: true }),
      writeFile: async (u, b) => fs.writeFileSync(u.path, b),
    } },
    window: { createWebviewPanel: (_type, title, _column, options) => {
      const panel = {
        title, options, told: [], shown: 0,
        webview: {
          cspSource: 'https://webview', html: '', asWebviewUri: u => `https://webview${u.path}`,
          onDidReceiveMessage: f => { panel.receive = f; }, postMessage: async m => { panel.told.push(m); },
        },
        reveal: () => { panel.shown++; }, onDidDispose: f => { panel.dispose = f; },
      };
      made.push(panel);
      return panel;
    } },
  };
  const { Explorer } = load('explorer', vscode);
  return { explorer: new Explorer(uri(path.join(__dirname, '..', 'media')), uri(folder)), made, external };
}

test('the page is in the panel', async t => {
  const { base } = await server(t);
  const { explorer, made } = panels(t);
  await explorer.open(`${base}#file=lock.ere&view=state&run=1&result=0`);
  const [panel] = made;
  assert.strictEqual(panel.title, 'Explorer: lock.ere');
  const folder = panel.options.localResourceRoots[0].path;
  const own = fs.readdirSync(page).filter(n => n !== 'transport.js').sort();
  assert.deepStrictEqual(fs.readdirSync(folder).sort(), [...own, 'panel.css', 'transport.js'].sort());
  for (const name of own) {
    assert.deepStrictEqual(fs.readFileSync(path.join(folder, name)), fs.readFileSync(path.join(page, name)), name);
  }
  assert.match(fs.readFileSync(path.join(folder, 'transport.js'), 'utf8'), /acquireVsCodeApi/);
  const { html } = panel.webview;
  assert.ok(html.includes(`src="https://webview${folder}/app.js"`) && html.includes(`href="https://webview${folder}/style.css"`), html);
  assert.ok(html.indexOf('/panel.css"') > html.indexOf('/style.css"'), 'the panel has the last word on colours');
  assert.match(html, /content="default-src 'none'; script-src https:\/\/webview;/);
  assert.match(html, /name="erelong-begin" content="file=lock.ere&amp;view=state&amp;run=1&amp;result=0"/);
  assert.ok(!html.includes('secret') && !html.includes('127.0.0.1'), 'the address stays in the extension');
});

test('the module of the panel has the interface of the server\'s', () => {
  const names = file => [...fs.readFileSync(file, 'utf8').matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(m => m[1]).sort();
  assert.deepStrictEqual(names(path.join(__dirname, '..', 'media', 'transport.js')), names(path.join(page, 'transport.js')));
});

test('another run is shown in the same panel, until it is closed', async t => {
  const { base } = await server(t);
  const { explorer, made } = panels(t);
  await explorer.open(`${base}#file=lock.ere`);
  await explorer.open(`${base}#file=lock.ere&view=state&run=2&result=0`);
  assert.strictEqual(made.length, 1);
  assert.deepStrictEqual(made[0].told, [{ show: 'file=lock.ere&view=state&run=2&result=0' }]);
  made[0].dispose();
  await explorer.open(`${base}#file=lock.ere`);
  assert.strictEqual(made.length, 2);
});

test('requests, events and links', async t => {
  const { base, asked } = await server(t);
  const { explorer, made, external } = panels(t);
  await explorer.open(`${base}#file=lock.ere`);
  const [panel] = made;
  await panel.receive({ id: 1, word: 'file', body: { file: 'lock.ere' } });
  await panel.receive({ id: 2, word: 'nothing', body: {} });
  await panel.receive({ id: 3, follow: 1 });
  await panel.receive({ id: 4, follow: 7 });
  assert.deepStrictEqual(asked, [['api/file', 'application/json', { file: 'lock.ere' }], ['api/nothing', 'application/json', {}]]);
  assert.deepStrictEqual(panel.told, [
    { id: 1, answer: { kind: 'specification' } },
    { id: 2, problem: { error: 'there is none', diagnostics: [] } },
    { id: 3, event: { text: 'at work' } },
    { id: 3, event: { text: 'ende: ü', last: true } },
    { id: 4, event: { last: true, text: '', problem: { error: 'there is no such run', diagnostics: [] } } },
  ]);
  await panel.receive({ open: 'report/1' });
  await panel.receive({ open: 'https://example.org/' });
  await panel.receive({ open: '../other' });
  assert.deepStrictEqual(external, [`${base}report/1`]);
});

test('a server that has ended', async t => {
  const { base } = await server(t);
  const { explorer, made } = panels(t);
  await explorer.open(`${base}#file=lock.ere`);
  await assert.rejects(explorer.open(base.replace('secret', 'other')), /lacks index.html/);
  const gone = http.createServer();
  await new Promise(done => gone.listen(0, '127.0.0.1', done));
  const { port } = gone.address();
  await new Promise(done => gone.close(done));
  const { answer } = load('explorer', {});
  await answer(`http://127.0.0.1:${port}/secret/`, { id: 5, word: 'file', body: {} }, new Map(), m => made[0].told.push(m));
  assert.match(made[0].told[0].problem.error, /erelong does not answer/);
});
