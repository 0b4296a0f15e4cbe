import { Program } from '../support/program.js';
import { Socket } from './sockets.js';
import { LIMITS_MS, USUAL_LIMIT_MS, type Tally } from './tally.js';

export const DICE = 20;
export const CLOCKS = 5;
const CLIENTS = 10;

/** Limits short enough that a run of half a minute sees their end. */
const FLAGS = {
  'dice-port': 0,
  'clock-port': 0,
  'control-port': 0,
  'hci-port': 0,
  address: '127.0.0.1',
  pace: 'fast',
  dice: DICE,
  clocks: CLOCKS,
  'scan-secs': 1,
  'connect-timeout': 1.5,
  'discover-timeout': 1.5,
  'gatt-timeout': 2,
  'answer-timeout': 1.5,
  'calibrate-timeout': 0.5,
  'reconnect-secs': 600,
  'rate-limit': 0,
};

export interface HttpAnswer {
  readonly status: number;
  readonly json: unknown;
}

/** A rig in processes of its own, its devices, and clients of both servers. */
export interface Rig {
  readonly program: Program;
  readonly urls: { readonly dice: string; readonly clock: string; readonly control: string };
  readonly dice: readonly string[];
  readonly clocks: readonly string[];
  readonly diceClients: readonly Socket[];
  readonly clockClients: readonly Socket[];
}

/** Undefined if no answer came within `ms`. */
export const http = async (
  url: string,
  method = 'GET',
  body?: object,
  ms = USUAL_LIMIT_MS,
): Promise<HttpAnswer | undefined> => {
  try {
    const response = await fetch(url, {
      method,
      signal: AbortSignal.timeout(ms),
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    return { status: response.status, json: await response.json() };
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError') return undefined;
    throw error;
  }
};

export const limitOf = (operation: string): number => LIMITS_MS[operation] ?? USUAL_LIMIT_MS;

/** Has the control API do something, which must work. */
export const control = async (
  { urls }: Rig,
  tally: Tally,
  path: string,
  method = 'GET',
  body?: object,
): Promise<unknown> => {
  const answer = await http(urls.control + path, method, body);
  if (answer?.status !== 200) {
    tally.problem(`${method} ${path} of the control API: ${JSON.stringify(answer ?? 'no answer')}`);
  }
  return answer?.json;
};

export interface RigOptions {
  /** Beside those that every run has. */
  readonly flags?: Readonly<Record<string, string | number>>;
  /** Of Node, for the rig and its servers. */
  readonly nodeFlags?: readonly string[];
}

/** `traceFile`: where the radio writes what it carries. */
export const openRig = async (
  seed: number,
  traceFile: string,
  { flags: more = {}, nodeFlags = [] }: RigOptions = {},
): Promise<Rig> => {
  const flags = Object.entries({ ...FLAGS, seed, trace: traceFile, ...more });
  const program = Program.node([
    ...nodeFlags,
    ...['dist/src/cli/main.js', 'rig', '-v'],
    ...flags.flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]);
  const urls = {
    dice: await program.url('dice server'),
    clock: await program.url('clock server'),
    control: await program.url('control API'),
  };
  const devices = (await http(`${urls.control}/devices`))?.json as readonly {
    address: string;
    kind: string;
  }[];
  const addresses = (kind: string): readonly string[] =>
    devices.filter((device) => device.kind === kind).map(({ address }) => address);
  const clients = (url: string): Promise<readonly Socket[]> =>
    Promise.all(
      Array.from({ length: CLIENTS }, () => Socket.open(`${url.replace('http', 'ws')}/ws?detail=full`)),
    );
  return {
    program,
    urls,
    dice: addresses('dice'),
    clocks: addresses('clock'),
    diceClients: await clients(urls.dice),
    clockClients: await clients(urls.clock),
  };
};
