// Counterexamples as read-only texts beside the specification.
import * as vscode from 'vscode';
import { Status } from './status';

const scheme = 'erelong-trace';

export class Traces implements vscode.Disposable, vscode.TextDocumentContentProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly texts = new Map<string, string>();
  private readonly registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);

  show(status: Status): void {
    for (const p of status.properties) {
      const uri = address(status.uri, p.name);
      const text = p.trace ?? 'There is no counterexample for this version of the text.\n';
      if (this.texts.get(uri.toString()) !== text) {
        this.texts.set(uri.toString(), text);
        this.changed.fire(uri);
      }
    }
  }

  async open(document: string, property: string): Promise<void> {
    await vscode.window.showTextDocument(address(document, property), {
      viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: true,
    });
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}

function address(document: string, property: string): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${property}`, query: document });
}
