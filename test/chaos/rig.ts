import { setTimeout } from 'node:timers/promises';
import { AIRBENCH } from '../../src/system/package.js';
import { type Answer, portOf, request } from '../support/client.js';
import { Listener } from '../../src/testing/internal/listener.js';
import { ClockClient } from '../../src/testing/internal/clock-client.js';
import { Program, RIG_PORTS } from '../../src/testing/internal/program.js';
import { LIMITS_MS, USUAL_LIMIT_MS, type Tally } from './tally.js';

export const DICE = 20;
export const CLOCKS = 5;
const CLIENTS = 10;

/** Limits short enough that a run of half a minute sees their end. */
const FLAGS = {
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

/** A rig in processes of its own, its devices, and clients of both servers. */
export interface Rig {
  readonly program: Program;
  readonly urls: { readonly dice: string; readonly clock: string; readonly control: string };
  readonly dice: readonly string[];
  readonly clocks: readonly string[];
  readonly diceClients: readonly Listener[];
  readonly clockClients: readonly ClockClient[];
}

export const limitOf = (operation: string): number => LIMITS_MS[operation] ?? USUAL_LIMIT_MS;

/** Undefined if it takes longer than `ms`. */
export const within = async <A>(ms: number, work: Promise<A>): Promise<A | undefined> => {
  const over = new AbortController();
  try {
    return await Promise.race([work, setTimeout(ms, undefined, over)]);
  } finally {
    over.abort();
  }
};

/**
 * Undefined if no answer came within `ms`. Each request has a connection of its own: a server closes one that is kept
 * after 65 s, unnoticed while a window is judged, and the next request on it would fail.
 */
export const ask = (
  url: string,
  path: string,
  method = 'GET',
  body?: object,
  ms = USUAL_LIMIT_MS,
): Promise<Answer | undefined> =>
  within(
    ms,
    request(portOf(url), path, {
      method,
      headers: { connection: 'close', ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }),
  );

/** Has the control API do something, which must work. */
export const control = async (
  { urls }: Rig,
  tally: Tally,
  path: string,
  method = 'GET',
  body?: object,
): Promise<unknown> => {
  const answer = await ask(urls.control, path, method, body);
  if (answer?.status !== 200) {
    tally.problem(`${method} ${path} of the control API: ${JSON.stringify(answer ?? 'no answer')}`);
  }
  return answer?.body;
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
    ...[AIRBENCH, 'rig', '-v', '--address', '127.0.0.1', ...RIG_PORTS],
    ...flags.flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]);
  const urls = {
    dice: await program.url('dice server'),
    clock: await program.url('clock server'),
    control: await program.url('control API'),
  };
  const devices = (await ask(urls.control, '/devices'))?.body as readonly {
    address: string;
    kind: string;
  }[];
  const addresses = (kind: string): readonly string[] =>
    devices.filter((device) => device.kind === kind).map(({ address }) => address);
  const clients = <C extends Listener>(open: () => Promise<C>): Promise<readonly C[]> =>
    Promise.all(Array.from({ length: CLIENTS }, open));
  return {
    program,
    urls,
    dice: addresses('dice'),
    clocks: addresses('clock'),
    diceClients: await clients(() => Listener.open(`${urls.dice}/ws?detail=full`)),
    clockClients: await clients(() => ClockClient.open(`${urls.clock}/ws?detail=full`)),
  };
};
