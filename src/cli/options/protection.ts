/** Access to the services of the program: flags, the variables of tokens, and the file of tokens. */
import type { Option } from 'commander';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import proxyaddr from 'proxy-addr';
import type { Logger } from 'pino';
import {
  OPEN_ACCESS,
  tokenAccess,
  type Access,
  type ChangeableAccess,
  type Token,
} from '../../access/access.js';
import { readTokenFile, singleToken, watchTokenFile } from '../../access/tokens.js';
import { isLoopback } from '../../http/hosts.js';
import { DEFAULT_PROTECTION, type Protection } from '../../http/protection.js';
import { grouped, integerFlag, listFlag, optionalTextFlag } from './options.js';

interface OriginFlags {
  readonly allowOrigin: readonly string[];
  readonly allowHost: readonly string[];
  readonly trustProxy: readonly string[];
}

export interface ProtectionFlags extends OriginFlags {
  readonly tokenFile: string | undefined;
  readonly rateLimit: number;
  readonly socketsPerAddress: number;
  readonly maxSockets: number;
}

const readOrigin = (input: string): E.Either<string, string> => {
  if (input === '*' || input === 'null') return E.right(input);
  const wrong = 'it must be an origin such as https://dashboard.example, * or null';
  if (!URL.canParse(input)) return E.left(wrong);
  const { protocol, host, pathname, search, hash, username, password } = new URL(input);
  return host !== '' && `${username}${password}` === '' && /^\/?$/.test(`${pathname}${search}${hash}`)
    ? E.right(`${protocol}//${host}`)
    : E.left(wrong);
};

const readHost = (input: string): E.Either<string, string> =>
  /^[a-z0-9_-]+(?:\.[a-z0-9_-]+)*$/i.test(input)
    ? E.right(input)
    : E.left('it must be a name without a port, such as dice.example.org');

const readProxy = (input: string): E.Either<string, string> =>
  E.tryCatch(
    () => {
      proxyaddr.compile(input);
      return input;
    },
    () => 'it must be an address, a network such as 10.0.0.0/8, loopback, linklocal or uniquelocal',
  );

const ofAccess = grouped('Access');

/** Where requests may come from; for servers and the control API. */
export const originOptions = (): readonly Option[] =>
  [
    listFlag(
      '--allow-origin <origin>',
      'allow web pages of this origin to use the server; * allows all, null allows pages opened from disk; repeatable',
      readOrigin,
    ),
    listFlag(
      '--allow-host <name>',
      'another host name by which clients may address the server; repeatable',
      readHost,
    ),
    listFlag(
      '--trust-proxy <address>',
      'trust the X-Forwarded headers of this proxy: an address, a network or loopback; repeatable',
      readProxy,
    ),
  ].map(ofAccess);

export const protectionOptions = (): readonly Option[] =>
  [
    optionalTextFlag(
      '--token-file <file>',
      'a JSON file of tokens: [{"name", "token", "scope": "full" or "read"}]; read again when it changes',
    ),
    ...originOptions(),
    integerFlag(
      '--rate-limit <number>',
      'requests per minute for one token or address; 0 sets no limit',
      { min: 0, max: 1_000_000 },
      DEFAULT_PROTECTION.requestsPerMinute,
    ),
    integerFlag(
      '--sockets-per-address <number>',
      'WebSockets that one address may open',
      { min: 1, max: 100_000 },
      DEFAULT_PROTECTION.socketsPerAddress,
    ),
    integerFlag(
      '--max-sockets <number>',
      'WebSockets in total',
      { min: 1, max: 100_000 },
      DEFAULT_PROTECTION.sockets,
    ),
  ].map(ofAccess);

interface TokenSource {
  /** The environment variable that may hold a token. */
  readonly variable: 'AIRBENCH_TOKEN' | 'AIRBENCH_CONTROL_TOKEN';
  readonly file: string | undefined;
}

/** The token in a variable, if any; a list of one. */
export const readVariable = (variable: TokenSource['variable']): E.Either<string, readonly Token[]> => {
  const token = process.env[variable];
  return token === undefined
    ? E.right([])
    : pipe(
        singleToken(variable, token),
        E.map((token) => [token]),
      );
};

const readFile = (path: string): E.Either<string, readonly Token[]> =>
  pipe(
    readTokenFile(path),
    E.mapLeft((reason) => `the token file ${path}: ${reason}`),
  );

const keepUpToDate = (access: ChangeableAccess, path: string, fixedTokens: readonly Token[], log: Logger) =>
  watchTokenFile(path, () =>
    pipe(
      readFile(path),
      E.match(
        (reason) => log.error(`${reason}; the tokens stay as they were`),
        (tokens) => {
          access.replace([...fixedTokens, ...tokens]);
          log.info({ tokens: tokens.length }, 'the token file has changed');
        },
      ),
    ),
  );

/**
 * Access by the tokens of a source; if there are any, `others` have access too. Left is a message, without any token in it.
 * Right: `close` stops watching the file.
 */
export const openAccess = ({ variable, file }: TokenSource, log: Logger, others: readonly Token[] = []) =>
  pipe(
    E.Do,
    E.bind('fromVariable', () => readVariable(variable)),
    E.bind('fromFile', () => (file === undefined ? E.right([]) : readFile(file))),
    E.map(({ fromVariable, fromFile }): { readonly access: Access; readonly close: () => void } => {
      const tokens = [...fromVariable, ...fromFile];
      if (tokens.length === 0) return { access: OPEN_ACCESS, close: () => undefined };
      const access = tokenAccess([...tokens, ...others]);
      return {
        access,
        close:
          file === undefined
            ? () => undefined
            : keepUpToDate(access, file, [...fromVariable, ...others], log),
      };
    }),
  );

const originsOf = ({ allowHost, allowOrigin, trustProxy }: OriginFlags) => ({
  hosts: allowHost,
  origins: allowOrigin,
  proxies: trustProxy,
});

export const protectionOf = (flags: ProtectionFlags, access: Access): Protection => ({
  ...DEFAULT_PROTECTION,
  ...originsOf(flags),
  access,
  requestsPerMinute: flags.rateLimit,
  socketsPerAddress: flags.socketsPerAddress,
  sockets: flags.maxSockets,
});

/** The protection of the control API, on a bench too. */
export interface ControlFlags extends OriginFlags {
  readonly controlAddress: string;
  readonly controlTokenFile: string | undefined;
}

export const controlTokenOption = (): Option =>
  ofAccess(optionalTextFlag('--control-token-file <file>', 'a JSON file of tokens for the control API'));

/** The protection of the control API, whose requests are not limited. The rest is as in `openAccess`. */
export const openControlProtection = (flags: ControlFlags, log: Logger, others: readonly Token[] = []) =>
  pipe(
    openAccess({ variable: 'AIRBENCH_CONTROL_TOKEN', file: flags.controlTokenFile }, log, others),
    E.map(({ access, close }) => ({
      protection: { ...DEFAULT_PROTECTION, ...originsOf(flags), access, requestsPerMinute: 0 },
      warnings: accessWarnings(flags.controlAddress, access, {
        activity: 'use the control API',
        token: '--control-token-file or AIRBENCH_CONTROL_TOKEN',
        address: '--control-address',
      }),
      close,
    })),
  );

/** A warning if anyone on the network can do `activity` at `address` without a token, with the flags that change this. */
export const accessWarnings = (
  address: string,
  { required }: Access,
  { activity, ...flags }: { readonly activity: string; readonly token: string; readonly address: string },
): readonly string[] =>
  required || isLoopback(address)
    ? []
    : [
        `anyone on this network can ${activity}: ${flags.token} asks for a token, ` +
          `${flags.address} 127.0.0.1 keeps it to this machine`,
      ];
