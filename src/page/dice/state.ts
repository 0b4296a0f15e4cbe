/** The dice of the page: the status of each, and their rolls. */
import { signal } from '@preact/signals';
import type { DetailedDiceEvent, DetailedStatus, DiceType } from '../../dice/contract.js';
import { LEDS, type Led, type Rgb } from '../../protocols/dice-values.js';
import { computedList } from '../common/lists.js';
import type { Roll } from './pool.js';

/** A tap, with a key of its own. */
export interface Tap {
  readonly kind: 'Tap' | 'DoubleTap';
  readonly key: string;
}

export const dice = signal<ReadonlyMap<string, DetailedStatus>>(new Map());
/** The latest rolls, the oldest first. */
export const rolls = signal<readonly Roll[]>([]);
/** The counts of the faces of all rolls, by session. */
export const tallies = signal<ReadonlyMap<string, ReadonlyMap<number, number>>>(new Map());
/** The last tap, by session. */
export const taps = signal<ReadonlyMap<string, Tap>>(new Map());
/** The shells that people chose for dice without a known type, by address. */
export const shells = signal<ReadonlyMap<string, DiceType>>(new Map());

/** The sessions whose dice do not count in sums. */
export const excluded = signal<ReadonlyMap<string, true>>(new Map());

export const sessions = computedList(() => [...dice.value.keys()]);

const MOST_ROLLS = 5_000;

export const put = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value);

export const without = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> =>
  new Map([...map].filter(([other]) => other !== key));

export const change = (session: string, changed: Partial<DetailedStatus>): void => {
  const die = dice.value.get(session);
  if (die !== undefined) dice.value = put(dice.value, session, { ...die, ...changed });
};

/** The LEDs of a die that can be set apart from each other. */
export const ledsOf = ({ capabilities }: DetailedStatus): readonly Led[] =>
  LEDS.filter((led) => capabilities.includes(led));

/** `#rrggbb`, the value of a colour input. */
const hexOf = ({ r, g, b }: Rgb): string =>
  `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;

/** The colour of an LED; undefined until a client sets it. */
export const colourOf = ({ leds }: DetailedStatus, led: Led): string | undefined =>
  leds === null ? undefined : hexOf(leds[led]);

const keyOf = ({ instance, seq }: DetailedDiceEvent): string => `${instance} ${seq}`;

const rollOf = (event: DetailedDiceEvent): readonly Roll[] => {
  if (event.kind !== 'Stable' && event.kind !== 'TiltStable') return [];
  const { session_id: session, address, face, time } = event;
  const { dice_type: type = null, color = null } = dice.value.get(session) ?? {};
  return [{ key: keyOf(event), session, address, type, color, face, time }];
};

/** Adds the rolls among `events` to the line of rolls and to the tallies. */
export const keepRolls = (events: readonly DetailedDiceEvent[]): void => {
  const rolled = events.flatMap(rollOf);
  if (rolled.length === 0) return;
  rolls.value = [...rolls.value, ...rolled].slice(-MOST_ROLLS);
  const changed = new Map<string, Map<number, number>>();
  for (const { session, face } of rolled) {
    const tally = changed.get(session) ?? new Map(tallies.value.get(session));
    changed.set(session, tally.set(face, (tally.get(face) ?? 0) + 1));
  }
  tallies.value = new Map([...tallies.value, ...changed]);
};

const changeOf = (event: DetailedDiceEvent): Partial<DetailedStatus> => {
  switch (event.kind) {
    case 'RollStart':
      return { rolling: true, face: null };
    case 'Stable':
    case 'TiltStable':
    case 'FakeStable':
    case 'MoveStable':
      return { rolling: false, face: event.face };
    case 'Charging':
      return { charging: event.charging };
    case 'BatteryLevel':
      return { battery_level: event.level };
    case 'Disconnected':
      return { connected: false, rolling: false, face: null };
    case 'Reconnected':
      return { connected: true };
    case 'Tap':
    case 'DoubleTap':
      return {};
  }
};

export const apply = (event: DetailedDiceEvent): void => {
  const { kind, session_id: session } = event;
  if (kind === 'Tap' || kind === 'DoubleTap')
    taps.value = put(taps.value, session, { kind, key: keyOf(event) });
  else change(session, changeOf(event));
};
