/** The lines for a person who has started a server at a terminal: its radio, the devices in range, and the page. */
import * as E from 'fp-ts/lib/Either.js';
import type { TimeSource } from '../../async/time.js';
import type { Radio, RadioPart } from '../../ble/ports.js';
import { radioTitle } from '../../contract/contract.js';
import { factsOf, type Kind } from '../../contract/index.js';
import { whilePoweredOn } from '../../devices/search.js';
import { openProgress, secondsLeft } from '../output/progress.js';

/** How long the server listens, ms: dice and clocks advertise several times a second. */
const LISTEN_MS = 5_000;

const texts = {
  dice: { one: 'die', advice: 'roll one to wake it' },
  clock: { one: 'clock', advice: 'bring one nearer' },
} as const satisfies Record<Kind, unknown>;

interface FirstLook {
  readonly kind: Kind;
  readonly radio: Radio;
  readonly time: TimeSource;
  /** The number of devices heard since a time, ms of the Unix epoch. */
  readonly heardSince: (time: number) => number;
  /** The URL of the page. */
  readonly page: string;
  readonly write: (line: string) => void;
}

const describe = ({ name, problem }: RadioPart): string =>
  problem === undefined ? radioTitle(name) : `${radioTitle(name)} (${problem})`;

/** Writes the radio at once, then listens for a few seconds, and writes what to do next. */
export const firstLook = async (
  { kind, radio, time, heardSince, page, write }: FirstLook,
  signal: AbortSignal,
): Promise<void> => {
  const { one, advice } = texts[kind];
  const { devices } = factsOf(kind);
  const radios = (): string => (radio.parts ?? []).map(describe).join(', ');
  write(`radio  ${radios()}`);
  const since = time.date().getTime();
  const progress = openProgress(time);
  progress.step((seconds) => `listening for ${devices}: ${secondsLeft(LISTEN_MS / 1000, seconds)}`);
  const end = await whilePoweredOn<never>(radio, { time, ms: LISTEN_MS, signal }, () =>
    radio.listen(() => undefined),
  )();
  progress.end();
  if (E.isRight(end) || end.left === 'aborted') return;
  const count = heardSince(since);
  if (count > 0) write(`${count} ${count === 1 ? one : devices} heard: open ${page}`);
  else if (end.left === 'timeout')
    write(
      `no ${one} heard yet: ${advice} (a ${one} that is connected to a phone does not advertise), then open ${page}`,
    );
  else write(`no ${one} can be heard: ${radios()}`);
};
