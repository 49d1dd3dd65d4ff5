// A client for the test of the server: the protocol library of VS Code, in plain node.
// It opens the file that the environment names, changes it by the edits, sends the requests, and
// writes what it got.
const fs = require('node:fs');
const { spawn } = require('node:child_process');
const { pathToFileURL } = require('node:url');
const protocol = require('vscode-languageserver-protocol/node');

const plan = JSON.parse(fs.readFileSync(process.env.ERELONG_PLAN, 'utf8'));
const uri = pathToFileURL(plan.file).href;
const server = spawn(process.env.ERELONG_SERVER, [], { stdio: ['pipe', 'pipe', 'inherit'] });
const connection = protocol.createProtocolConnection(
  new protocol.StreamMessageReader(server.stdout), new protocol.StreamMessageWriter(server.stdin));
const out = { results: [], errors: [] };

async function run() {
  let arrived = () => {};
  let published = [];
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, p => { published = p; arrived(p); });
  connection.onRequest(protocol.WorkDoneProgressCreateRequest.type, () => {});
  connection.listen();
  const answer = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid, rootUri: null, capabilities: { general: { positionEncodings: ['utf-16'] } },
  });
  if (answer.capabilities.textDocumentSync.change !== protocol.TextDocumentSyncKind.Incremental) throw new Error('no increments');
  await connection.sendNotification(protocol.InitializedNotification.type, {});
  const version = n => new Promise(resolve => {
    arrived = p => { if (p.version === n) resolve(); };
    if (published.version === n) resolve();
  });
  let text = fs.readFileSync(plan.file, 'utf8');
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type,
    { textDocument: { uri, languageId: 'erelong', version: 1, text } });
  await version(1);
  let n = 1;
  for (const e of plan.edits) {
    // Positions of the plan count bytes; the protocol counts UTF-16 code units, as strings here do.
    const lines = text.split('\n');
    const units = bytes => Buffer.from(lines[e.line], 'utf8').subarray(0, bytes).toString('utf8').length;
    const [from, to] = [units(e.from), units(e.to)];
    const range = { start: { line: e.line, character: from }, end: { line: e.line, character: to } };
    lines[e.line] = lines[e.line].slice(0, from) + e.lines.join('\n') + lines[e.line].slice(to);
    text = lines.join('\n');
    await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type,
      { textDocument: { uri, version: ++n }, contentChanges: [{ range, text: e.lines.join('\n') }] });
    await version(n);
  }
  out.text = text;
  for (const r of plan.requests) {
    if (r.params.textDocument) r.params.textDocument = { uri };
    try {
      out.results.push(await connection.sendRequest(r.method, r.params) ?? null);
    } catch (e) {
      out.results.push(null);
      out.errors.push(r.method + ': ' + e.message);
    }
  }
  out.diagnostics = published.diagnostics;
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  out.code = await new Promise(resolve => server.on('exit', resolve));
}

run().catch(e => out.errors.push(String(e))).finally(() => {
  fs.writeFileSync(process.env.ERELONG_RESULT, JSON.stringify(out));
  process.exit(0);
});
