// The states of properties as signs in the gutter.
import * as vscode from 'vscode';
import { Sign, signOf, Status } from './status';

const shapes: Record<Sign, string> = {
  holds: '<path d="M3 8.5l3.5 3.5L13 4.5" fill="none" stroke="#2da44e" stroke-width="2"/>',
  violated: '<path d="M4 4l8 8M12 4l-8 8" fill="none" stroke="#d1242f" stroke-width="2"/>',
  open: '<circle cx="8" cy="8" r="5" fill="none" stroke="#bf8700" stroke-width="2"/><path d="M8 5v4M8 10.5v1" stroke="#bf8700" stroke-width="1.6"/>',
  waiting: '<circle cx="4" cy="8" r="1.5" fill="#57606a"/><circle cx="8" cy="8" r="1.5" fill="#57606a"/><circle cx="12" cy="8" r="1.5" fill="#57606a"/>',
  stale: '<circle cx="8" cy="8" r="4" fill="none" stroke="#8c959f" stroke-dasharray="2 2"/>',
};

export class Gutter implements vscode.Disposable {
  private readonly types = new Map<Sign, vscode.TextEditorDecorationType>();

  constructor() {
    for (const sign of Object.keys(shapes) as Sign[]) {
      const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16">${shapes[sign]}</svg>`;
      this.types.set(sign, vscode.window.createTextEditorDecorationType({
        gutterIconPath: vscode.Uri.parse('data:image/svg+xml;base64,' + Buffer.from(svg).toString('base64')),
        gutterIconSize: 'contain',
      }));
    }
  }

  show(status: Status): void {
    for (const editor of this.editors(status.uri)) {
      if (editor.document.version !== status.version) {
        continue;
      }
      for (const [sign, type] of this.types) {
        editor.setDecorations(type, status.properties.filter(p => signOf(p) === sign).map(p => ({
          range: new vscode.Range(p.range.start.line, p.range.start.character, p.range.end.line, p.range.end.character),
          hoverMessage: `${p.name}: ${p.state} ${p.detail ?? ''}`,
        })));
      }
    }
  }

  clear(uri: string): void {
    for (const editor of this.editors(uri)) {
      this.types.forEach(type => editor.setDecorations(type, []));
    }
  }

  dispose(): void {
    this.types.forEach(type => type.dispose());
  }

  private editors(uri: string): vscode.TextEditor[] {
    return vscode.window.visibleTextEditors.filter(e => e.document.uri.toString() === uri);
  }
}
