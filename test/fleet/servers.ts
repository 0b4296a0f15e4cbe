/** Many dice servers on one broker, and one consumer that hears them all. */
import * as E from 'fp-ts/lib/Either.js';
import { systemTime } from '../../src/async/time.js';
import { wait } from '../../src/async/wait.js';
import { subscribe } from './broker.js';
import { portOf, post } from '../support/client.js';
import { Program } from '../../simulators/testing/internal/program.js';
import { quantileOf, toTenth } from '../support/statistics.js';

export const addressOf = (index: number): string =>
  `D1:CE:00:${[16, 8, 0]
    .map((shift) => ((index >> shift) & 0xff).toString(16).padStart(2, '0'))
    .join(':')}`.toUpperCase();

export interface Fleet {
  readonly servers: number;
  readonly dice: number;
  readonly rounds: number;
}

interface DiceEvent {
  readonly kind: string;
  readonly seq: number;
  readonly instance: string;
  readonly time: string;
}

/** The longest silence while messages are due, ms. */
const SILENT_MS = 30_000;

/** Records the events and the availability of dice on a broker. */
const watchDice = async (broker: string, addresses: readonly string[]) => {
  const delays: number[] = [];
  const seen = new Set<string>();
  const online = new Set<string>();
  const landed = new Map<string, number>();
  let changed = (): void => undefined;
  const filters = ['events', 'availability'].map((name) => `airbench/dice/servers/+/devices/+/${name}`);
  const consumer = await subscribe(broker, filters, (topic, payload) => {
    const address = topic.split('/').at(-2) ?? '';
    if (topic.endsWith('/availability')) {
      if (payload.toString() === 'online') online.add(address);
    } else {
      const { kind, seq, instance, time } = JSON.parse(payload.toString()) as DiceEvent;
      delays.push(Date.now() - Date.parse(time));
      seen.add(`${instance} ${seq}`);
      if (kind === 'Stable') landed.set(address, (landed.get(address) ?? 0) + 1);
    }
    changed();
  });
  /** Waits until `is` is true of all dice, and returns the dice of which it is still false after `SILENT_MS` without a message. */
  const without = async (is: (address: string) => boolean): Promise<readonly string[]> => {
    for (;;) {
      const pending = addresses.filter((address) => !is(address));
      if (pending.length === 0) return pending;
      const more = await wait<true>({ time: systemTime, ms: SILENT_MS }, (settle) => {
        changed = () => settle(true);
        return () => undefined;
      })();
      if (E.isLeft(more)) return pending;
    }
  };
  return { delays, online, landed, seen, without, close: () => consumer.endAsync() };
};

export const measureServers = async (broker: string, { servers, dice, rounds }: Fleet) => {
  const all = servers * dice;
  const air = Program.air([
    ...['--dice', String(all), '--clocks', '0'],
    ...['--max-links', String(dice), '--pace', 'fast'],
  ]);
  const hci = await air.url('virtual radio');
  const control = portOf(await air.url('control API'));

  const addresses = Array.from({ length: all }, (_, index) => addressOf(index + 1));
  const watched = await watchDice(broker, addresses);
  const { online, landed, delays, seen, without } = watched;
  for (let server = 0; server < servers; server++) {
    const program = Program.server('dice', hci, [
      ...['--mqtt', broker, '--name', `server-${server}`],
      ...addresses.slice(server * dice, (server + 1) * dice).flatMap((address) => ['--connect', address]),
    ]);
    await program.url('dice server');
  }
  const offline = await without((address) => online.has(address));
  const missing = offline.map((address) => `die ${address} was never available`);

  const began = performance.now();
  let rolled = 0;
  for (let round = 1; round <= rounds && missing.length === 0; round++) {
    rolled += all;
    await Promise.all(
      addresses.map((address) => post(control, `/devices/${address}/actions`, { type: 'roll', roll_ms: 0 })),
    );
    const rolling = await without((address) => (landed.get(address) ?? 0) >= round);
    missing.push(
      ...rolling.map((address) => `roll ${round} of die ${address} did not end within ${SILENT_MS / 1000} s`),
    );
  }
  const seconds = (performance.now() - began) / 1000;
  await watched.close();
  const events = seen.size;
  // A roll begins and lands.
  const lost = 2 * rolled - events;
  return {
    /** A message for each missing die or roll; measuring ends with the first. */
    missing,
    events,
    lost,
    doubled: delays.length - events,
    events_per_second: Math.round(events / seconds),
    delay_p50_ms: toTenth(quantileOf(delays, 0.5)),
    delay_p99_ms: toTenth(quantileOf(delays, 0.99)),
  };
};
