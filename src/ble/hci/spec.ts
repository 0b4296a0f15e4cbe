import type { Duplex } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';

/** The destination of HCI packets: an adapter of this machine, shared with the kernel or not, or an H4 stream. */
export type HciSpec = DefaultSpec | NamedSpec;

/** Every specification except the default. */
export type NamedSpec = NativeSpec | UserSpec | StreamSpec;

/** The most suitable adapter of this machine (`serverChoices` in `adapters.ts`). */
export interface DefaultSpec {
  readonly kind: 'default';
}

/** An adapter that is shared with the kernel. */
export interface NativeSpec {
  readonly kind: 'native';
  readonly device: number;
}

/** An adapter that the kernel hands over, by its HCI user channel. */
export interface UserSpec {
  readonly kind: 'user';
  readonly device: number;
}

export type StreamSpec =
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** A stream within this process, which no flag names. */
export interface OwnSpec {
  readonly kind: 'own';
  readonly name: string;
  readonly open: () => Duplex;
}

const FORMS = 'default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH';

/** Reads `default`, `hci0`, `user:hci0`, `tcp:127.0.0.1:6402`, `tcp:[::1]:6402` or `unix:/run/hci.sock`; Left is a message. */
export const parseHciSpec = (text: string): E.Either<string, HciSpec> => {
  if (text === 'default') return E.right({ kind: 'default' });
  const [, user, device] = /^(user:)?hci(\d{1,3})$/.exec(text) ?? [];
  if (device !== undefined) {
    return E.right({ kind: user === undefined ? 'native' : 'user', device: Number(device) });
  }
  const [, host, port] = /^tcp:(\[[^\]]+\]|[^:[\]]+):(\d{1,5})$/.exec(text) ?? [];
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65535) {
    return E.right({ kind: 'tcp', host: host.replace(/^\[|\]$/g, ''), port: Number(port) });
  }
  const path = /^unix:(.+)$/.exec(text)?.[1];
  if (path !== undefined) return E.right({ kind: 'unix', path });
  return E.left(`hci must be ${FORMS}, got ${JSON.stringify(text)}`);
};

export const describeHciSpec = (spec: HciSpec | OwnSpec): string => {
  switch (spec.kind) {
    case 'default':
      return 'default';
    case 'native':
      return `hci${spec.device}`;
    case 'user':
      return `user:hci${spec.device}`;
    case 'tcp':
      return `tcp:${spec.host.includes(':') ? `[${spec.host}]` : spec.host}:${spec.port}`;
    case 'unix':
      return `unix:${spec.path}`;
    case 'own':
      return spec.name;
  }
};
