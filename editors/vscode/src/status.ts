// The message erelong/status: the states of the properties of one version of a document.
import { NotificationType } from 'vscode-languageclient/node';

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }

export interface PropertyStatus {
  name: string;
  kind: string;
  range: Range;
  state: string; // stale, queued, running, or a verdict
  detail?: string;
  seconds?: number;
  trace?: string;
}

export interface Status {
  uri: string;
  version: number;
  properties: PropertyStatus[];
}

export const StatusNotification = new NotificationType<Status>('erelong/status');

// isOpen reports whether there is no verdict yet.
export function isOpen(p: PropertyStatus): boolean {
  return p.state === 'stale' || p.state === 'queued' || p.state === 'running';
}

export type Sign = 'holds' | 'violated' | 'open' | 'waiting' | 'stale';

// signOf is how a state is shown.
export function signOf(p: PropertyStatus): Sign {
  switch (p.state) {
    case 'holds': return 'holds';
    case 'violated': case 'no run': return 'violated';
    case 'queued': case 'running': return 'waiting';
    case 'stale': return 'stale';
    default: return 'open';
  }
}
