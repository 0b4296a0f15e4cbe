/** Keeps what the page knows the same as what the server says. */
import { batch } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { DetailedDiceEvent, endpoints, EventsMissed, health } from '../../dice/contract.js';
import { call } from '../api.js';
import { followEvents } from '../events.js';
import type { KeptOpen } from '../socket.js';
import { token } from '../token.js';
import { adapter, apply, connection, dice, keepRoll, missed } from './state.js';

/** The server's list of dice that is shown has all that happened up to here. */
let listed = { seq: 0, instance: '' };

/** What happened since, oldest first: also what came while the list was on its way. */
let news: readonly DetailedDiceEvent[] = [];

const isNews = ({ seq, instance }: DetailedDiceEvent): boolean =>
  instance !== listed.instance || seq > listed.seq;

/** Reads what the server knows of all dice. */
export const refresh = async (): Promise<void> => {
  const state = await call(health.health, {});
  const all = E.isRight(state) ? await call(endpoints.sessions, {}) : state;
  batch(() => {
    if (E.isLeft(state)) {
      if (connection.value === 'reconnecting') connection.value = 'lost';
      return;
    }
    const { seq, instance } = state.right;
    adapter.value = state.right.adapter;
    if (E.isLeft(all)) {
      if (all.left.code === 'unauthorized') connection.value = 'token';
      return;
    }
    if (connection.value === 'token') connection.value = 'connecting';
    // Of two lists that were asked for at once, the older one came last.
    if (instance === listed.instance && seq < listed.seq) return;
    listed = { seq, instance };
    news = news.filter(isNews);
    dice.value = new Map(all.right.map((die) => [die.session_id, die]));
    news.forEach(apply);
  });
};

const received = (message: unknown): void => {
  if (E.isRight(EventsMissed.decode(message))) {
    missed.value = true;
    return;
  }
  const decoded = DetailedDiceEvent.decode(message);
  if (E.isLeft(decoded)) return;
  const event = decoded.right;
  const { kind, session_id } = event;
  batch(() => {
    keepRoll(event);
    if (!isNews(event)) return;
    news = [...news, event];
    apply(event);
  });
  // A die that another client connected; or one whose session may have ended: the server knows.
  if (isNews(event) && (kind === 'Disconnected' || !dice.value.has(session_id))) void refresh();
};

const RETRY_MS = 1_000;

/** How often the page looks for what makes no event, such as dice that others connect, and the adapter. */
const LOOK_MS = 5_000;

/** Undefined before the page has followed any events. */
let following: KeptOpen | undefined;

/** Follows the server from the first event that it still has. */
export const start = async (): Promise<void> => {
  const state = await call(health.health, {});
  if (E.isLeft(state)) {
    connection.value = 'lost';
    setTimeout(() => void start(), RETRY_MS);
    return;
  }
  await refresh();
  if (connection.value === 'token') return;
  const { retryNow } = (following = followEvents({
    from: { seq: 0, instance: state.right.instance },
    received,
    connected: (is) => {
      if (is) connection.value = 'open';
      else if (connection.value === 'open') connection.value = 'reconnecting';
      void refresh();
    },
  }));
  window.addEventListener('online', retryNow);
  setInterval(() => {
    if (connection.value === 'open' && document.visibilityState === 'visible') void refresh();
  }, LOOK_MS);
};

export const useToken = async (given: string): Promise<void> => {
  token.value = given;
  if (following === undefined) await start();
  else {
    await refresh();
    following.retryNow();
  }
};
