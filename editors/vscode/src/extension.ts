// The VS Code extension: a client of `erelong lsp`, with the states of the properties in the
// gutter and in the Testing view.
import * as vscode from 'vscode';
import { LanguageClient, LanguageClientOptions, ServerOptions, TransportKind } from 'vscode-languageclient/node';
import { Explorer } from './explorer';
import { Gutter } from './gutter';
import { isOpen, Status, StatusNotification } from './status';
import { Tests } from './tests';
import { Traces } from './traces';

let client: LanguageClient | undefined;
let explorer: Explorer | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const gutter = new Gutter();
  const traces = new Traces();
  const tests = new Tests((uri, property) =>
    vscode.commands.executeCommand('erelong.verify', uri, property, property ? 'verify' : ''));
  const latest = new Map<string, Status>();
  explorer = new Explorer(vscode.Uri.joinPath(context.extensionUri, 'media'), context.globalStorageUri);

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
    gutter, tests, traces, explorer,
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
    vscode.commands.registerCommand('erelong.openExplorer', (item?: vscode.TestItem | vscode.Uri) => {
      const { uri, property } = target(item, current());
      const run = property && latest.get(uri ?? '')?.properties.some(p => p.name === property && p.trace && !isOpen(p));
      return uri && vscode.commands.executeCommand('erelong.explore', uri, ...(run ? [property] : []));
    }),
    vscode.commands.registerCommand('erelong.restart', async () => {
      await client?.stop();
      await start();
    }),
  );
  await start();
}

// target is what the explorer is to show: of a test its property, and else a document.
function target(item: vscode.TestItem | vscode.Uri | undefined, current: string | undefined): { uri?: string; property?: string } {
  if (item && 'children' in item) {
    return { uri: item.uri?.toString(), property: item.parent ? item.label : undefined };
  }
  return { uri: item?.toString() ?? current };
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
    middleware: {
      window: {
        // A page of the program is shown in a panel, if the user has not chosen the browser.
        showDocument: async (params, next) => {
          const inPanel = vscode.workspace.getConfiguration('erelong').get<string>('explorer', 'panel') === 'panel';
          if (!explorer || !inPanel || !params.external || !/^http:\/\/127\.0\.0\.1:\d+\//.test(params.uri)) {
            const answer = await next(params, new vscode.CancellationTokenSource().token);
            return 'success' in answer ? answer : { success: false };
          }
          await explorer.open(params.uri);
          return { success: true };
        },
      },
    },
    initializationOptions: {
      verifyOnSave: settings.get<boolean>('verifyOnSave', true),
      timeLimit: settings.get<number>('timeLimit', 60),
    },
  };
  return new LanguageClient('erelong', 'erelong', server, options);
}
