/** The dice as the page knows them: by the answers of the server, and by its events. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { detached } from '../../async/defects.js';
import { DetailedDiceEvent, endpoints, EventsMissed, health } from '../../dice/contract.js';
import { call, type Outcome } from '../common/api.js';
import { followEvents } from '../common/events.js';
import { readRadios } from '../common/radios.js';
import { adapter, followServer, missed, pages } from '../common/server.js';
import { apply, dice, keepRolls } from './state.js';

/** The server's list of dice that is shown has all that happened up to here. */
let listed = { seq: 0, instance: '' };

/** The events since the list was requested, the oldest first; some came before the list did. */
let beforeSnapshot: readonly DetailedDiceEvent[] = [];

const isAfterSnapshot = ({ seq, instance }: DetailedDiceEvent): boolean =>
  instance !== listed.instance || seq > listed.seq;

const read = async (): Outcome => {
  const state = await call(health.health, {});
  if (E.isLeft(state)) return state.left;
  const [all] = await Promise.all([call(endpoints.sessions, {}), readRadios()]);
  const { seq, instance } = state.right;
  return batch(() => {
    adapter.value = state.right.adapter;
    pages.value ??= state.right.pages;
    if (E.isLeft(all)) return all.left;
    // The older of two lists that were requested concurrently came last.
    if (instance === listed.instance && seq < listed.seq) return null;
    listed = { seq, instance };
    beforeSnapshot = beforeSnapshot.filter(isAfterSnapshot);
    dice.value = new Map(all.right.map((die) => [die.session_id, die]));
    beforeSnapshot.forEach(apply);
    return null;
  });
};

/** The events since the page was last drawn. */
let undrawn: DetailedDiceEvent[] = [];

const draw = (): void => {
  const events = undrawn;
  undrawn = [];
  const latest = events.filter(isAfterSnapshot);
  batch(() => {
    keepRolls(events);
    beforeSnapshot = [...beforeSnapshot, ...latest];
    latest.forEach(apply);
  });
  // A die that another client connected; or one whose session may have ended: the server knows.
  if (latest.some(({ kind, session_id }) => kind === 'Disconnected' || !dice.value.has(session_id)))
    detached(server.refresh());
};

/** About a frame: what comes meanwhile is drawn at once. */
const DRAW_MS = 16;

const received = (message: unknown): void => {
  if (E.isRight(EventsMissed.decode(message))) {
    missed.value = true;
    return;
  }
  const event = DetailedDiceEvent.decode(message);
  if (E.isLeft(event)) return;
  undrawn.push(event.right);
  if (undrawn.length === 1) setTimeout(draw, DRAW_MS);
};

export const server = followServer({
  read,
  follow: (connected) => followEvents({ instance: listed.instance, received, connected }),
  lookMs: 5_000,
});
