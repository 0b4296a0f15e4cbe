/** The proxies of a server, instead of an adapter or beside one. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { DEFAULT_PORT } from '../../protocols/esphome/port.js';
import { proxyUrl } from '../process/run.js';
import { keyOf, NO_KEYS, readKeyFile, readKeys, type Keys } from './keys.js';
import { grouped, listFlag, optionalTextFlag } from './options.js';

/** `auto`: all proxies that are announced on the network. */
export type ProxySpec = 'auto' | { readonly host: string; readonly port: number };

export interface ProxyFlags {
  readonly proxy: readonly ProxySpec[];
  readonly proxyKeyFile: string | undefined;
}

/** Reads `auto`, `esphome://kitchen.local` and `esphome://[fe80::1]:6053`. */
export const readProxy = (input: string): E.Either<string, ProxySpec> => {
  if (input === 'auto') return E.right('auto');
  const [, host, port] = /^esphome:\/\/(\[[^\]]+\]|[^:/[\]@]+)(?::(\d{1,5}))?\/?$/.exec(input) ?? [];
  const number = port === undefined ? DEFAULT_PORT : Number(port);
  return host === undefined || number < 1 || number > 65_535
    ? E.left('it must be auto, or a place such as esphome://kitchen.local or esphome://192.168.1.20:6053')
    : E.right({ host: host.replace(/^\[|\]$/g, ''), port: number });
};

/** The value of `--proxy` for these proxies. */
export const proxiesText = (proxies: readonly ProxySpec[]): string =>
  proxies.map((spec) => (spec === 'auto' ? spec : proxyUrl(spec.host, spec.port))).join(',');

const ofRadio = grouped('Radio');

export const proxyFlag = (): Option =>
  ofRadio(
    listFlag(
      '--proxy <url>',
      'a Bluetooth proxy of ESPHome, instead of an adapter or beside those that --hci and --bluez name: esphome://HOST[:6053]; auto takes all that mDNS finds; repeatable',
      readProxy,
    ),
  );

export const proxyOptions = (): readonly Option[] =>
  [
    proxyFlag(),
    optionalTextFlag(
      '--proxy-key-file <file>',
      'encryption keys of proxies: one for all in base64, or a JSON object of keys by host; AIRBENCH_PROXY_KEYS may hold the same',
    ),
  ].map(ofRadio);

/** The key of each host. Left: a message without a key in it. */
export const proxyKeys = (
  { proxyKeyFile }: ProxyFlags,
  env: NodeJS.ProcessEnv,
): E.Either<string, (host: string) => Buffer | undefined> => {
  const { AIRBENCH_PROXY_KEYS: text } = env;
  const inEnvironment = (): E.Either<string, Keys> =>
    text === undefined || text === ''
      ? E.right(NO_KEYS)
      : pipe(
          readKeys(text),
          E.mapLeft((reason) => `AIRBENCH_PROXY_KEYS: ${reason}`),
        );
  return pipe(
    proxyKeyFile === undefined
      ? inEnvironment()
      : pipe(
          readKeyFile(proxyKeyFile),
          E.mapLeft((reason) => `--proxy-key-file: ${reason}`),
        ),
    E.map((keys) => (host: string) => keyOf(keys, host)),
  );
};
