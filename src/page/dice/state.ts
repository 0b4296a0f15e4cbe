/** The dice of the page, by address: the status of each connected one, its record, and the newest rolls. */
import { computed, signal } from '@preact/signals';
import * as t from 'io-ts';
import {
  DiceType,
  type DetailedDiceEvent,
  type DetailedStatus,
  type DieRecord,
} from '../../dice/contract.js';
import type { StoreHealth } from '../../contract/index.js';
import { LEDS, type Led, type Rgb } from '../../protocols/dice-values.js';
import { keptSignal } from '../common/kept.js';
import { computedList } from '../common/lists.js';
import { put, without } from '../common/maps.js';
import type { Roll } from './pool.js';

/** A tap, with a key of its own. */
export interface Tap {
  readonly kind: 'Tap' | 'DoubleTap';
  readonly key: string;
}

type Store = t.TypeOf<typeof StoreHealth>;

/** The dice with a session. */
export const dice = signal<ReadonlyMap<string, DetailedStatus>>(new Map());
/** The dice that the server has heard. */
export const records = signal<ReadonlyMap<string, DieRecord>>(new Map());
/** Whether the server keeps rolls, and why it does not; null: it is not known yet. */
export const store = signal<Store | null>(null);
/** Whether the server rolls its dice, which are simulated. */
export const canRoll = signal(false);
/** The times at which links were lost, ISO 8601. */
export const lostAt = signal<ReadonlyMap<string, string>>(new Map());
/** The newest rolls, the oldest first. */
export const rolls = signal<readonly Roll[]>([]);
/** The last starts of rolls: a die that was caught still rolls when it is thrown again. */
export const starts = signal<ReadonlyMap<string, string>>(new Map());
/** The last taps. */
export const taps = signal<ReadonlyMap<string, Tap>>(new Map());

/** The shells that people chose for dice without a known type. */
export const shells = keptSignal('shells', t.record(t.string, DiceType), {});
/** The addresses of dice that do not count in sums. */
export const excluded = keptSignal('excluded dice', t.readonlyArray(t.string), []);
export const view = keptSignal('view of dice', t.keyof({ cards: null, table: null }), 'cards');

/** The dice that had a session while the page was open. */
const seen = new Set<string>();

const isRemembered = ({ address, label, keep_connected, rolls: kept }: DieRecord): boolean =>
  label !== null || keep_connected || (kept ?? 0) > 0 || seen.has(address);

const advertised = (address: string): string =>
  (dice.value.get(address) ?? records.value.get(address))?.name ?? '';

/** The dice with a session and those that the server remembers, by the names that they advertise, which no person changes. */
export const addresses = computedList(() => {
  for (const address of dice.value.keys()) seen.add(address);
  const remembered = [...records.value.values()].filter(isRemembered).map(({ address }) => address);
  return [...new Set([...dice.value.keys(), ...remembered])].sort(
    (a, b) => advertised(a).localeCompare(advertised(b)) || a.localeCompare(b),
  );
});

/** Whether no die has a session. */
export const isEmpty = computed(() => dice.value.size === 0);

const MOST_ROLLS = 5_000;

export const change = (address: string, changed: Partial<DetailedStatus>): void => {
  const die = dice.value.get(address);
  if (die !== undefined) dice.value = put(dice.value, address, { ...die, ...changed });
};

export const nameOf = ({
  label = null,
  name,
  address,
}: Pick<DieRecord, 'name' | 'address'> & { readonly label?: string | null }): string =>
  label ?? (name === null || name === '' ? address : name);

/** The name of a die of which only the address is known. */
export const nameAt = (address: string): string =>
  nameOf(dice.value.get(address) ?? records.value.get(address) ?? { address, name: null });

export const colorAt = (address: string): DetailedStatus['color'] =>
  dice.value.get(address)?.color ?? records.value.get(address)?.color ?? null;

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
  const { address, face, time } = event;
  const { dice_type: type = null } = dice.value.get(address) ?? records.value.get(address) ?? {};
  return [{ address, type, face, time }];
};

/** Unique: a die comes to rest once at a time. */
export const keyOfRoll = ({ address, time }: Pick<Roll, 'address' | 'time'>): string => `${time} ${address}`;

const inOrder = (all: readonly Roll[]): readonly Roll[] => {
  const byKey = new Map(all.map((roll) => [keyOfRoll(roll), roll]));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, roll]) => roll);
};

/** Adds rolls, of which some may be known already. */
export const addRolls = (added: readonly Roll[]): void => {
  const [first] = added;
  const last = rolls.value.at(-1);
  if (first === undefined) return;
  const all = [...rolls.value, ...added];
  const isLater = last === undefined || last.time < first.time;
  rolls.value = (isLater ? all : inOrder(all)).slice(-MOST_ROLLS);
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

/** Keeps the rolls, their starts, and the times of losses, which are in no list of dice. */
export const keep = (events: readonly DetailedDiceEvent[]): void => {
  addRolls(events.flatMap(rollOf));
  for (const { kind, address, time } of events) {
    if (kind === 'RollStart') starts.value = put(starts.value, address, time);
    if (kind === 'Disconnected') lostAt.value = put(lostAt.value, address, time);
    if (kind === 'Reconnected') lostAt.value = without(lostAt.value, address);
  }
};

/** Drops the times of losses of dice that are connected again, with another session. */
export const dropOldLosses = (): void => {
  lostAt.value = new Map(
    [...lostAt.value].filter(([address]) => dice.value.get(address)?.connected !== true),
  );
};

/** Drops the record and the rolls of a die. */
export const dropRecord = (address: string): void => {
  seen.delete(address);
  records.value = without(records.value, address);
  rolls.value = rolls.value.filter((roll) => roll.address !== address);
};

export const showTaps = (events: readonly DetailedDiceEvent[]): void => {
  for (const event of events)
    if (event.kind === 'Tap' || event.kind === 'DoubleTap')
      taps.value = put(taps.value, event.address, { kind: event.kind, key: keyOf(event) });
};

export const apply = (event: DetailedDiceEvent): void => change(event.address, changeOf(event));
