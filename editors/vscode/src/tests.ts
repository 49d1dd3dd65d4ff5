// Every property is a test: it passes if the property holds.
import * as vscode from 'vscode';
import { isOpen, PropertyStatus, signOf, Status } from './status';

type Verify = (uri: string, property: string) => Thenable<unknown>;

export class Tests implements vscode.Disposable {
  private readonly controller = vscode.tests.createTestController('erelong', 'erelong');
  private readonly shown = new Map<string, string>(); // the last state of each test
  private readonly waiting = new Map<vscode.TestRun, Set<string>>();

  constructor(private readonly verify: Verify) {
    this.controller.createRunProfile('Verify', vscode.TestRunProfileKind.Run, (request, token) => this.run(request, token), true);
  }

  // show makes the tests of a document those of its properties, and enters the verdicts.
  show(document: vscode.TextDocument, status: Status): void {
    let file = this.controller.items.get(status.uri);
    if (!file) {
      file = this.controller.createTestItem(status.uri, vscode.workspace.asRelativePath(document.uri), document.uri);
      this.controller.items.add(file);
    }
    const items: vscode.TestItem[] = [];
    for (const p of status.properties.filter(p => p.kind !== 'range')) {
      const id = testID(status.uri, p.name);
      const item = file.children.get(id) ?? this.controller.createTestItem(id, p.name, document.uri);
      item.range = new vscode.Range(p.range.start.line, p.range.start.character, p.range.end.line, p.range.end.character);
      item.description = p.state === 'stale' ? '' : p.state;
      items.push(item);
    }
    file.children.forEach(item => items.includes(item) || this.skip(item));
    file.children.replace(items);
    for (const p of status.properties) {
      const item = file.children.get(testID(status.uri, p.name));
      if (item) {
        this.enter(item, p);
      }
    }
  }

  remove(uri: string): void {
    this.controller.items.get(uri)?.children.forEach(item => this.skip(item));
    this.controller.items.delete(uri);
  }

  dispose(): void {
    this.controller.dispose();
  }

  private enter(item: vscode.TestItem, p: PropertyStatus): void {
    const state = `${p.state} ${p.detail ?? ''}`;
    const before = this.shown.get(item.id);
    if (before === state) {
      return;
    }
    this.shown.set(item.id, state);
    const runs = this.runsOf(item);
    if (isOpen(p)) {
      runs.forEach(run => p.state === 'running' && run.started(item));
      if (p.state === 'stale') {
        this.controller.invalidateTestResults(item);
        if (before && /^(queued|running)/.test(before)) {
          this.skip(item); // the text has changed, or the verification was stopped
        }
      }
      return;
    }
    const own = runs.length === 0; // verified on save, or by a command in the text
    if (own) {
      runs.push(this.controller.createTestRun(new vscode.TestRunRequest([item]), undefined, false));
    }
    for (const run of runs) {
      const message = new vscode.TestMessage(`${p.name}: ${state}${p.trace ? '\n\n' + p.trace : ''}`);
      message.location = item.uri && item.range ? new vscode.Location(item.uri, item.range) : undefined;
      const duration = p.seconds === undefined ? undefined : p.seconds * 1000;
      switch (signOf(p)) {
        case 'holds': run.passed(item, duration); break;
        case 'violated': run.failed(item, message, duration); break;
        default: run.errored(item, message, duration);
      }
      if (own) {
        run.end();
      } else {
        this.done(run, item.id);
      }
    }
  }

  private runsOf(item: vscode.TestItem): vscode.TestRun[] {
    return [...this.waiting].filter(([, ids]) => ids.has(item.id)).map(([run]) => run);
  }

  // skip ends the waiting for a verdict that will not come.
  private skip(item: vscode.TestItem): void {
    for (const run of this.runsOf(item)) {
      run.skipped(item);
      this.done(run, item.id);
    }
  }

  private done(run: vscode.TestRun, id: string): void {
    const ids = this.waiting.get(run);
    ids?.delete(id);
    if (ids?.size === 0) {
      this.waiting.delete(run);
      run.end();
    }
  }

  private async run(request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> {
    const run = this.controller.createTestRun(request);
    const items: vscode.TestItem[] = [];
    const add = (item: vscode.TestItem): void => {
      if (item.children.size > 0) {
        item.children.forEach(add);
      } else if (!request.exclude?.includes(item)) {
        items.push(item);
      }
    };
    if (request.include) {
      request.include.forEach(add);
    } else {
      this.controller.items.forEach(add);
    }
    this.waiting.set(run, new Set(items.map(i => i.id)));
    const uris = new Set(items.map(i => i.uri?.toString() ?? ''));
    token.onCancellationRequested(() => {
      uris.forEach(uri => void vscode.commands.executeCommand('erelong.stop', uri));
      this.waiting.delete(run);
      run.end();
    });
    for (const item of items) {
      run.enqueued(item);
      this.shown.delete(item.id);
      try {
        await this.verify(item.uri?.toString() ?? '', item.label);
      } catch (e) {
        run.errored(item, new vscode.TestMessage(String(e)));
        this.done(run, item.id);
      }
    }
  }
}

function testID(uri: string, property: string): string {
  return `${uri}#${property}`;
}
