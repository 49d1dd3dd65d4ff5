// The VS Code extension: a client of `erelong lsp`, with the states of the properties in the
// gutter and in the Testing view.
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { Gutter } from './gutter';
import { isOpen, Status, StatusNotification } from './status';
import { Tests } from './tests';
import { Traces } from './traces';

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const gutter = new Gutter();
  const traces = new Traces();
  const tests = new Tests((uri, property) =>
    vscode.commands.executeCommand('erelong.verify', uri, property, property ? 'verify' : ''));
  const latest = new Map<string, Status>();

  const received = (status: Status): void => {
    const document = vscode.workspace.textDocuments.find(d => d.uri.toString() === status.uri);
    if (!document || document.version !== status.version) {
      return; // a verdict about another version of the text is not shown
    }
    latest.set(status.uri, status);
    gutter.show(status);
    tests.show(document, status);
    traces.show(status);
  };

  const start = async (): Promise<void> => {
    client = newClient();
    client.onNotification(StatusNotification, received);
    await client.start();
  };

  const current = (): string | undefined => vscode.window.activeTextEditor?.document.uri.toString();
  context.subscriptions.push(
    gutter, tests, traces,
    vscode.window.onDidChangeVisibleTextEditors(() => latest.forEach(status => gutter.show(status))),
    vscode.workspace.onDidChangeTextDocument(e => {
      if (e.contentChanges.length > 0) {
        gutter.clear(e.document.uri.toString());
      }
    }),
    vscode.workspace.onDidCloseTextDocument(d => {
      latest.delete(d.uri.toString());
      tests.remove(d.uri.toString());
    }),
    vscode.commands.registerCommand('erelong.verifyDocument', () => {
      const uri = current();
      return uri && vscode.commands.executeCommand('erelong.verify', uri);
    }),
    vscode.commands.registerCommand('erelong.stopVerification', () => {
      const uri = current();
      return uri && vscode.commands.executeCommand('erelong.stop', uri);
    }),
    vscode.commands.registerCommand('erelong.showTrace', async () => {
      const uri = current();
      const status = uri ? latest.get(uri) : undefined;
      const choices = (status?.properties ?? []).filter(p => p.trace && !isOpen(p));
      const name = choices.length > 1
        ? await vscode.window.showQuickPick(choices.map(p => p.name), { title: 'A counterexample to' })
        : choices[0]?.name;
      if (uri && name) {
        await traces.open(uri, name);
      } else if (choices.length === 0) {
        void vscode.window.showInformationMessage('There is no counterexample for this version of the text.');
      }
    }),
    vscode.commands.registerCommand('erelong.restart', async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

function newClient(): LanguageClient {
  const settings = vscode.workspace.getConfiguration('erelong');
  const server: ServerOptions = {
    command: settings.get<string>('path', 'erelong'), args: ['lsp'], transport: TransportKind.stdio,
  };
  const options: LanguageClientOptions = {
    documentSelector: [{ language: 'erelong' }, { language: 'uppaal' }, { language: 'ivy' }],
    initializationOptions: {
      verifyOnSave: settings.get<boolean>('verifyOnSave', true),
      timeLimit: settings.get<number>('timeLimit', 60),
    },
  };
  return new LanguageClient('erelong', 'erelong', server, options);
}
