// The explorer in a panel: the page of a server that `erelong lsp` has begun.
//
// The page's files come from the server, so they are those of the program, except one: the module
// transport.js sends requests as messages, and the extension passes them on. A style sheet is added. So the panel needs no
// network, the server need not be reached from where the window is, and its address, which has a
// secret, stays in the extension.
import { createHash } from 'node:crypto';
import * as vscode from 'vscode';

interface Message {
  id?: number;
  word?: string; // a request
  body?: unknown;
  follow?: number; // a run
  leave?: number; // to follow it no longer
  open?: string; // an address below the server's, to be opened in the browser
}

export class Explorer implements vscode.Disposable {
  private readonly panels = new Map<string, vscode.WebviewPanel>(); // by the server's address

  // media is the folder with the extension's own files of the page, and storage one for the files of pages.
  constructor(private readonly media: vscode.Uri, private readonly storage: vscode.Uri) {}

  // open shows an address of a page in the panel of its server.
  async open(address: string): Promise<void> {
    const [base, hash = ''] = address.split('#');
    const known = this.panels.get(base);
    if (known) {
      known.reveal(undefined, true);
      await known.webview.postMessage({ show: hash });
      return;
    }
    const files = await pageFiles(base);
    for (const name of ['transport.js', 'panel.css']) {
      files.set(name, await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.media, name)));
    }
    const folder = await this.keep(files);
    const file = new URLSearchParams(hash).get('file');
    const panel = vscode.window.createWebviewPanel('erelong.explorer', file ? `Explorer: ${file}` : 'Explorer',
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true }, { enableScripts: true, localResourceRoots: [folder] });
    const ends = new Map<number, AbortController>(); // of runs that are followed
    this.panels.set(base, panel);
    panel.onDidDispose(() => {
      this.panels.delete(base);
      ends.forEach(end => end.abort());
    });
    panel.webview.onDidReceiveMessage((m: Message) => answer(base, m, ends, reply => panel.webview.postMessage(reply)));
    panel.webview.html = html(new TextDecoder().decode(files.get('index.html')), panel.webview, folder, hash);
  }

  dispose(): void {
    this.panels.forEach(panel => panel.dispose());
  }

  // keep writes the files of a page into a folder that is named after their contents.
  private async keep(files: Map<string, Uint8Array>): Promise<vscode.Uri> {
    const digest = createHash('sha256');
    for (const [name, text] of files) {
      digest.update(`${name} ${text.length}\n`).update(text);
    }
    const folder = vscode.Uri.joinPath(this.storage, `page-${digest.digest('hex').slice(0, 16)}`);
    await vscode.workspace.fs.createDirectory(folder);
    for (const [name, text] of files) {
      await vscode.workspace.fs.writeFile(vscode.Uri.joinPath(folder, name), text);
    }
    return folder;
  }
}

// pageFiles fetches index.html, what it names, and what the modules import.
export async function pageFiles(base: string): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>();
  const open = ['index.html'];
  for (let name = open.pop(); name; name = open.pop()) {
    if (files.has(name)) {
      continue;
    }
    const response = await fetch(base + (name === 'index.html' ? '' : name));
    if (!response.ok) {
      throw new Error(`the page of erelong lacks ${name}: ${response.statusText}`);
    }
    const bytes = new Uint8Array(await response.arrayBuffer());
    files.set(name, bytes);
    if (/\.(html|js)$/.test(name)) {
      const text = new TextDecoder().decode(bytes);
      for (const m of text.matchAll(/(?:\bfrom "\.\/|(?:href|src)=")([\w.-]+\.(?:js|css|svg))"/g)) {
        open.push(m[1]);
      }
    }
  }
  return files;
}

// html is the page with the addresses of its files in the webview, and a policy that lets it load
// nothing else.
export function html(index: string, webview: vscode.Webview, folder: vscode.Uri, hash: string): string {
  const policy = `default-src 'none'; script-src ${webview.cspSource}; style-src ${webview.cspSource}; ` +
    `img-src ${webview.cspSource} data:; base-uri 'none'; form-action 'none'`;
  const escaped = (s: string): string => s.replace(/&/g, '&amp;').replace(/"/g, '&quot;').replace(/</g, '&lt;');
  return index
    .replace('</head>', '<link rel="stylesheet" href="panel.css">\n</head>')
    .replace(/(href|src)="([\w.-]+\.(?:js|css|svg))"/g, (_, key: string, name: string) =>
      `${key}="${webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString()}"`)
    .replace('<head>', () => `<head>\n<meta http-equiv="Content-Security-Policy" content="${escaped(policy)}">\n` +
      `<meta name="erelong-begin" content="${escaped(hash)}">`);
}

// answer carries out a message of the page.
export async function answer(
  base: string, m: Message, ends: Map<number, AbortController>, reply: (message: object) => void,
): Promise<void> {
  if (m.open !== undefined) {
    const target = new URL(m.open, base).toString();
    if (target.startsWith(base)) {
      await vscode.env.openExternal(vscode.Uri.parse(target));
    }
  } else if (m.leave !== undefined) {
    ends.get(m.id!)?.abort();
  } else if (m.follow !== undefined) {
    const end = new AbortController();
    ends.set(m.id!, end);
    await follow(base, m.follow, end.signal, event => reply({ id: m.id, event }));
    ends.delete(m.id!);
  } else if (m.word !== undefined) {
    try {
      const response = await fetch(`${base}api/${encodeURIComponent(m.word)}`, {
        method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(m.body),
      });
      const text = await response.text();
      if (!(response.headers.get('Content-Type') ?? '').startsWith('application/json')) {
        throw new Error(text.trim());
      }
      const got = JSON.parse(text);
      reply(got.error === undefined ? { id: m.id, answer: got } : { id: m.id, problem: got });
    } catch (e) {
      reply({ id: m.id, problem: problem(e) });
    }
  }
}

// follow passes the events of a run on (server-sent events), up to the last.
async function follow(base: string, run: number, signal: AbortSignal, tell: (event: object) => void): Promise<void> {
  try {
    const response = await fetch(`${base}events/${run}`, { signal });
    if (!response.ok || !response.body) {
      throw new Error((await response.text()).trim());
    }
    const decoder = new TextDecoder();
    let rest = '';
    for await (const chunk of response.body) {
      const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter(l => l.startsWith('data: '))) {
        const event = JSON.parse(line.slice('data: '.length));
        tell(event);
        if (event.last) {
          return;
        }
      }
    }
    throw new Error('the connection to erelong has ended');
  } catch (e) {
    if (!signal.aborted) {
      tell({ last: true, text: '', problem: problem(e) });
    }
  }
}

function problem(e: unknown): object {
  const cause = e instanceof Error ? e.message : String(e);
  return { error: cause === 'fetch failed' ? 'erelong does not answer: is it still running?' : cause, diagnostics: [] };
}
