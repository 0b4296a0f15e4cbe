/** The dice as the page knows them: what the server says of each, and what they rolled. */
import { batch, computed, signal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import {
  DetailedDiceEvent,
  endpoints,
  EventsMissed,
  health,
  type DiceType,
  type DiscoveredDevice,
  type Status,
} from '../../dice/contract.js';
import { call, type Failure } from '../api.js';
import { followEvents } from '../events.js';
import { token } from '../token.js';

/** A face that came up. */
export interface Roll {
  readonly session: string;
  readonly address: string;
  readonly face: number;
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly seq: number;
}

/** Both LEDs as they were last set here; null: not known. */
export type Leds = readonly [string, string] | null;

/** What the page is doing about the server. */
export type Connection = 'connecting' | 'open' | 'lost' | 'token';

export const connection = signal<Connection>('connecting');
export const dice = signal<ReadonlyMap<string, Status>>(new Map());
export const rolls = signal<readonly Roll[]>([]);
export const leds = signal<ReadonlyMap<string, Leds>>(new Map());
/** The dice that a scan found; null: there was none yet. */
export const found = signal<readonly DiscoveredDevice[] | null>(null);
export const scanning = signal(false);
export const adapter = signal('poweredOn');
/** How many events the server could not send any more. */
export const missed = signal(false);

/** Those that were found and are not connected. */
export const newDice = computed(() => {
  const known = new Set([...dice.value.values()].map(({ address }) => address));
  return found.value?.filter(({ address }) => !known.has(address)) ?? null;
});

/** The most rolls that are kept. */
const MOST_ROLLS = 5_000;

const put = <V>(map: ReadonlyMap<string, V>, key: string, value: V): ReadonlyMap<string, V> =>
  new Map(map).set(key, value);

const without = <V>(map: ReadonlyMap<string, V>, key: string): ReadonlyMap<string, V> =>
  new Map([...map].filter(([other]) => other !== key));

const change = (session: string, changed: Partial<Status>): void => {
  const die = dice.value.get(session);
  if (die !== undefined) dice.value = put(dice.value, session, { ...die, ...changed });
};

const apply = (event: DetailedDiceEvent): void => {
  const { session_id: session } = event;
  switch (event.kind) {
    case 'RollStart': {
      change(session, { rolling: true });
      return;
    }
    case 'Stable':
    case 'TiltStable':
    case 'FakeStable':
    case 'MoveStable': {
      const { face, address, time, seq } = event;
      change(session, { rolling: false, face });
      if (event.kind === 'Stable' || event.kind === 'TiltStable')
        rolls.value = [...rolls.value, { session, address, face, time, seq }].slice(-MOST_ROLLS);
      return;
    }
    case 'Charging': {
      change(session, { charging: event.charging });
      return;
    }
    case 'BatteryLevel': {
      change(session, { battery_level: event.level });
      return;
    }
    case 'Disconnected':
      change(session, { connected: false, rolling: false });
      return void refresh();
    case 'Reconnected': {
      change(session, { connected: true });
      return;
    }
    case 'Tap':
    case 'DoubleTap':
      return;
  }
};

/** Reads what the server knows of all dice. */
export const refresh = async (): Promise<void> => {
  const [all, state] = await Promise.all([call(endpoints.sessions, {}), call(health.health, {})]);
  batch(() => {
    if (E.isRight(all)) dice.value = new Map(all.right.map((die) => [die.session_id, die]));
    else if (all.left.code === 'unauthorized') connection.value = 'token';
    if (E.isRight(state)) adapter.value = state.right.adapter;
  });
};

const received = (event: unknown): void => {
  if (E.isRight(EventsMissed.decode(event))) {
    missed.value = true;
    return;
  }
  const decoded = DetailedDiceEvent.decode(event);
  if (E.isRight(decoded)) batch(() => apply(decoded.right));
};

const RETRY_MS = 1_000;

/** Follows the server from its first event that it still has. */
export const start = async (): Promise<void> => {
  const state = await call(health.health, {});
  if (E.isLeft(state)) {
    connection.value = 'lost';
    setTimeout(() => void start(), RETRY_MS);
    return;
  }
  await refresh();
  if (connection.value === 'token') return;
  followEvents({
    from: { seq: 0, instance: state.right.instance },
    received,
    connected: (is) => {
      connection.value = is ? 'open' : 'lost';
      if (is) void refresh();
    },
  });
};

export const useToken = (given: string): void => {
  token.value = given;
  connection.value = 'connecting';
  void start();
};

type Outcome = Promise<Failure | null>;

const failureOf = <A>(outcome: E.Either<Failure, A>): Failure | null =>
  E.isLeft(outcome) ? outcome.left : null;

export const scan = async (): Outcome => {
  scanning.value = true;
  const outcome = await call(endpoints.scan, { query: { duration_secs: 3 } });
  batch(() => {
    scanning.value = false;
    if (E.isRight(outcome)) found.value = outcome.right;
  });
  return failureOf(outcome);
};

export const connect = async (address: string, dice_type: DiceType): Outcome => {
  const outcome = await call(endpoints.connect, { body: { address, dice_type } });
  await refresh();
  return failureOf(outcome);
};

export const disconnect = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.disconnect, { body: { session_id } });
  if (E.isRight(outcome)) dice.value = without(dice.value, session_id);
  return failureOf(outcome);
};

/** `#rrggbb` of a colour input as the contract has it. */
const rgbOf = (hex: string) => {
  const bits = Number.parseInt(hex.slice(1), 16);
  return { r: bits >> 16, g: (bits >> 8) & 0xff, b: bits & 0xff };
};

export const light = async (session_id: string, hex: string): Outcome => {
  const colour = rgbOf(hex);
  const outcome = await call(endpoints.led, { body: { session_id, led1: colour, led2: colour } });
  if (E.isRight(outcome)) leds.value = put(leds.value, session_id, [hex, hex]);
  return failureOf(outcome);
};

export const pulse = async (session_id: string, hex: string): Outcome =>
  failureOf(
    await call(endpoints.pulse, {
      body: { session_id, count: 5, on_ms: 300, off_ms: 200, color: rgbOf(hex), leds: 'both' },
    }),
  );

export const readBattery = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.battery, { params: { session_id } });
  if (E.isRight(outcome)) change(session_id, { battery_level: outcome.right.battery_level });
  return failureOf(outcome);
};

export const calibrate = async (session_id: string): Outcome => {
  const outcome = await call(endpoints.calibrate, { body: { session_id } });
  if (E.isRight(outcome)) change(session_id, { face: outcome.right.face });
  return failureOf(outcome);
};
