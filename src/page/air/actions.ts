/** What people do to the world: each asks the control API, and is shown as a command. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import { decode, parseJson, type ParseError } from '../../codecs/index.js';
import { call, failureOf, requestOf, send, UNREACHABLE, type Given, type Outcome, type Row } from '../api.js';
import { curlOf } from './curl.js';
import { refreshChaos, server } from './server.js';
import { curl, rows } from './state.js';
import { texts } from './texts.js';

/** Does something, and shows it as a command. */
const perform = async <G, A>(row: Row<G, A>, given: Given<G>): Outcome => {
  curl.value = curlOf(requestOf(row, given));
  const outcome = await call(row, given);
  await server.refresh();
  return failureOf(outcome);
};

export const act = (address: string, body: Json): Outcome => perform(rows.act, { params: { address }, body });

export const place = (address: string, body: { rssi?: number; in_range?: boolean }): Outcome =>
  perform(rows.place, { params: { address }, body });

const refused = ({ message, code }: ParseError): Outcome => Promise.resolve({ code, error: message });

export const addFault = (body: unknown): Outcome =>
  pipe(
    body,
    decode(rows.addFault.body, 'the fault'),
    E.fold(refused, (fault) => perform(rows.addFault, { body: fault })),
  );

export const removeFault = (id: string): Outcome => perform(rows.removeFault, { params: { id } });

const thenChaos = async (outcome: Outcome): Outcome => {
  const failure = await outcome;
  await refreshChaos();
  return failure;
};

export const startChaos = (plan: string): Outcome =>
  pipe(
    parseJson(plan, 'the plan'),
    E.fold(refused, (body) => thenChaos(perform(rows.startChaos, { body }))),
  );

export const stopChaos = (): Outcome => thenChaos(perform(rows.stopChaos, {}));

/** Saves the capture: a link could not carry the token. */
export const saveTrace = async (): Outcome => {
  const request = requestOf(rows.trace, {});
  curl.value = `${curlOf(request)} -o air.btsnoop`;
  try {
    const response = await send(request);
    if (!response.ok) return { code: 'no_trace', error: texts.noTrace };
    const link = document.createElement('a');
    link.href = URL.createObjectURL(await response.blob());
    link.download = 'air.btsnoop';
    link.click();
    URL.revokeObjectURL(link.href);
    return null;
  } catch {
    return UNREACHABLE;
  }
};
