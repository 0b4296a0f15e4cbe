/** Keeps the dice of the page up to date by the answers and the events of the server. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { DetailedDiceEvent, endpoints, EventsMissed, health } from '../../dice/contract.js';
import { call, type Outcome } from '../common/api.js';
import { followEvents, type Position } from '../common/events.js';
import { readRadios } from '../common/radios.js';
import { adapter, followServer, inHomeAssistant, missed, pages } from '../common/server.js';
import { apply, canRoll, dice, dropOldLosses, keep, records, showTaps, store } from './state.js';
import { recount } from './statistics.js';

/** The position of the last event that the shown list of dice includes. */
let listed: Position = { seq: 0, instance: '' };

/** The position of the last event before the page was opened. */
let opened: Position | undefined;

/** The events since the request of the list, the oldest first; some arrive before the list. */
let beforeSnapshot: readonly DetailedDiceEvent[] = [];

const isAfter = (event: Position, { seq, instance }: Position): boolean =>
  event.instance !== instance || event.seq > seq;

const isAfterSnapshot = (event: DetailedDiceEvent): boolean => isAfter(event, listed);

const read = async (signal: AbortSignal): Outcome => {
  const state = await call(health.health, {}, signal);
  if (E.isLeft(state)) return state.left;
  const [all, heard] = await Promise.all([
    call(endpoints.sessions, {}, signal),
    call(endpoints.dice, {}, signal),
    readRadios(signal),
  ]);
  const { seq, instance } = state.right;
  return batch(() => {
    adapter.value = state.right.adapter;
    inHomeAssistant.value = state.right.home_assistant;
    canRoll.value = state.right.simulator;
    store.value = state.right.store;
    pages.value ??= state.right.pages;
    if (E.isLeft(all)) return all.left;
    if (E.isLeft(heard)) return heard.left;
    // Two lists were requested concurrently, and the older list has arrived last.
    if (instance === listed.instance && seq < listed.seq) return null;
    listed = { seq, instance };
    opened ??= listed;
    beforeSnapshot = beforeSnapshot.filter(isAfterSnapshot);
    dice.value = new Map(all.right.map((die) => [die.address, die]));
    records.value = new Map(heard.right.map((record) => [record.address, record]));
    beforeSnapshot.forEach(apply);
    dropOldLosses();
    return null;
  });
};

/** The events since the last drawing of the page. */
let undrawn: DetailedDiceEvent[] = [];

const draw = (): void => {
  const events = undrawn;
  undrawn = [];
  const latest = events.filter(isAfterSnapshot);
  batch(() => {
    keep(events);
    showTaps(events.filter((event) => isAfter(event, opened ?? listed)));
    beforeSnapshot = [...beforeSnapshot, ...latest];
    latest.forEach(apply);
  });
  recount(events.filter(({ kind }) => kind === 'Stable').map(({ address }) => address));
  // Another client may have connected a die, or the session of a die may have ended.
  if (latest.some(({ kind, address }) => kind === 'Disconnected' || !dice.value.has(address)))
    detached(server.refresh());
};

/** About one frame, in which events collect for one drawing. */
const DRAW_MS = 16;

const received = (message: unknown): void => {
  if (E.isRight(EventsMissed.decode(message))) {
    // A store has the rolls among them.
    missed.value = store.value?.state !== 'ok';
    return;
  }
  const event = DetailedDiceEvent.decode(message);
  if (E.isLeft(event)) return;
  undrawn.push(event.right);
  if (undrawn.length === 1) setTimeout(draw, DRAW_MS);
};

export const server = followServer({
  read,
  follow: (connected) =>
    followEvents({
      instance: listed.instance,
      received,
      connected,
      // The page gets every event of the server.
      isUpToDate: (last) => !isAfter(listed, last),
    }),
  lookMs: 5_000,
});
