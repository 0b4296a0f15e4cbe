/**
 * Messages about commands in a kept guest, a line of JSON each. Between client and keeper they are of one command, so that
 * their `id` is the keeper's; bytes are in base64.
 */
export type Request =
  | {
      readonly type: 'run';
      readonly command: readonly string[];
      readonly folder: string;
      readonly variables: Readonly<Record<string, string>>;
    }
  | { readonly type: 'input'; readonly data: string }
  | { readonly type: 'end' }
  | { readonly type: 'signal'; readonly name: NodeJS.Signals }
  /** The client is gone. */
  | { readonly type: 'hangup' };

export type Reply =
  | { readonly type: 'stdout' | 'stderr'; readonly data: string }
  | { readonly type: 'exit'; readonly status: number };

export type Numbered<A> = A & { readonly id: number };

export const READY = 'ready';

export const messageLine = (message: Request | Reply): string => `${JSON.stringify(message)}\n`;
