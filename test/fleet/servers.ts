/** Many dice servers on one broker, and one consumer that hears them all. */
import { connectAsync } from 'mqtt';
import { portOf, post } from '../support/client.js';
import { Program } from '../support/program.js';
import { quantileOf, toTenth } from '../support/statistics.js';

export interface Fleet {
  readonly servers: number;
  /** Of each server. */
  readonly dice: number;
  /** How often each die is rolled. */
  readonly rounds: number;
}

export interface Measured {
  readonly events: number;
  readonly lost: number;
  readonly doubled: number;
  readonly events_per_second: number;
  /** From the time in the event to its consumer. */
  readonly delay_p50_ms: number;
  readonly delay_p99_ms: number;
}

interface DiceEvent {
  readonly kind: string;
  readonly seq: number;
  readonly instance: string;
  readonly time: string;
}

const addressOf = (index: number): string =>
  `D1:CE:00:00:${[index >> 8, index & 0xff].map((byte) => byte.toString(16).padStart(2, '0')).join(':')}`.toUpperCase();

export const measureServers = async (broker: string, { servers, dice, rounds }: Fleet): Promise<Measured> => {
  const all = servers * dice;
  const air = Program.air([
    '--dice',
    String(all),
    '--clocks',
    '0',
    '--max-links',
    String(dice),
    '--pace',
    'fast',
  ]);
  const hci = await air.url('virtual radio');
  const control = portOf(await air.url('control API'));

  const consumer = await connectAsync(broker, { protocolVersion: 5 });
  const delays: number[] = [];
  const seen = new Map<string, Set<number>>();
  let stable = 0;
  let doubled = 0;
  let online = 0;
  let changed = (): void => undefined;
  consumer.on('message', (topic, payload) => {
    if (topic.endsWith('/availability')) {
      if (payload.toString() === 'online') online += 1;
    } else {
      const { kind, seq, instance, time } = JSON.parse(payload.toString()) as DiceEvent;
      delays.push(Date.now() - Date.parse(time));
      const seqs = seen.get(instance) ?? new Set();
      if (seqs.has(seq)) doubled += 1;
      seen.set(instance, seqs.add(seq));
      if (kind === 'Stable') stable += 1;
    }
    changed();
  });
  const until = async (is: () => boolean): Promise<void> => {
    while (!is()) await new Promise<void>((resolve) => (changed = resolve));
  };
  await consumer.subscribeAsync(['airbench/dice/devices/+/events', 'airbench/dice/devices/+/availability'], {
    qos: 1,
  });

  for (let server = 0; server < servers; server++) {
    const own = Array.from({ length: dice }, (_, index) => addressOf(server * dice + index + 1));
    const program = Program.server('dice', hci, [
      ...['--mqtt', broker, '--name', `server-${server}`],
      ...own.flatMap((address) => ['--connect', address]),
    ]);
    await program.url('dice server');
  }
  await until(() => online >= all);

  const began = performance.now();
  for (let round = 1; round <= rounds; round++) {
    await Promise.all(
      Array.from({ length: all }, (_, index) =>
        post(control, `/devices/${addressOf(index + 1)}/actions`, { type: 'roll', roll_ms: 0 }),
      ),
    );
    await until(() => stable >= round * all);
  }
  const seconds = (performance.now() - began) / 1000;
  await consumer.endAsync();
  const events = [...seen.values()].reduce((sum, seqs) => sum + seqs.size, 0);
  // A roll begins and lands.
  const lost = 2 * rounds * all - events;
  return {
    events,
    lost,
    doubled,
    events_per_second: Math.round(events / seconds),
    delay_p50_ms: toTenth(quantileOf(delays, 0.5)),
    delay_p99_ms: toTenth(quantileOf(delays, 0.99)),
  };
};
