/** The actions of people on the world: requests to the control API, each also shown as a command. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import { KnownModel } from '../control/contract.js';
import { decode, type Codec } from '../../src/codecs/index.js';
import {
  call,
  failureOf,
  requestOf,
  send,
  together,
  UNREACHABLE,
  type Failure,
  type RequestInput,
  type Outcome,
  type CallableEndpoint,
  type Sent,
  token,
} from '../../src/page/common/api.js';
import { save } from '../../src/page/common/browser.js';
import type { Body } from './schema.js';
import { server } from './server.js';
import { dieTypeOf, knowsType } from './shown.js';
import { acted, chosen, curl, rows, type Device } from './state.js';
import { texts } from './texts.js';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The header of a command, with the token from the environment. */
const AUTHORIZATION = ` -H "authorization: Bearer $AIRBENCH_CONTROL_TOKEN"`;

export const curlOf = ({ method, url, body }: Sent): string => {
  const usual = body === undefined ? 'GET' : 'POST';
  return [
    'curl -s',
    method === usual ? '' : ` -X ${method}`,
    ` ${url.href.replaceAll('%3A', ':')}`,
    token.value === null ? '' : AUTHORIZATION,
    body === undefined ? '' : ` -H 'content-type: application/json' -d ${quoted(body)}`,
  ].join('');
};

/** Sends a request and shows its command. */
const perform = async <G, A>(
  row: CallableEndpoint<G, A>,
  parts: RequestInput<G>,
): Promise<E.Either<Failure, A>> => {
  curl.value = curlOf(requestOf(row, parts));
  const outcome = await call(row, parts);
  await server.refresh();
  return outcome;
};

const done = async <G, A>(row: CallableEndpoint<G, A>, parts: RequestInput<G>): Outcome =>
  failureOf(await perform(row, parts));

/** Sends a body if the contract accepts it; otherwise fails without a request. */
const checked = <B, A>(
  row: CallableEndpoint<{ readonly body: B }, A> & { readonly body: Codec<B, unknown> },
  subject: string,
  input: Body,
): Outcome =>
  pipe(
    input,
    decode(row.body, subject),
    E.fold(
      ({ code, message }) => Promise.resolve({ code, error: message }),
      (body) => done(row, { body }),
    ),
  );

export const add = async (body: Body): Outcome => {
  const outcome = await perform(rows.add, { body });
  const addedDevice = pipe(
    outcome,
    E.chainW((model) => KnownModel.decode(model)),
  );
  if (E.isRight(addedDevice)) chosen.value = addedDevice.right.address;
  return failureOf(outcome);
};

export const remove = (address: string): Outcome => done(rows.remove, { params: { address } });

export const act = async (address: string, type: string, body: Body): Outcome => {
  const failure = await done(rows.act, { params: { address }, body });
  if (failure === null) acted.value = { address, type };
  return failure;
};

/** Rolls dice at the same time; the command has all requests. */
export const rollAll = async (dice: readonly Device[]): Outcome => {
  const requests = dice.map((device) => ({
    params: { address: device.address },
    body: { type: 'roll', die: knowsType(device) ? null : (dieTypeOf(device) ?? null) },
  }));
  curl.value = requests.map((request) => curlOf(requestOf(rows.act, request))).join('; ');
  const failure = await together(requests.map(async (request) => failureOf(await call(rows.act, request))));
  await server.refresh();
  return failure;
};

export const behave = (address: string, body: Body): Outcome =>
  done(rows.behave, { params: { address }, body });

export const moveDevice = (address: string, body: { rssi?: number; in_range?: boolean }): Outcome =>
  done(rows.place, { params: { address }, body });

export const setAir = (body: Body): Outcome => checked(rows.setAir, 'the air', body);

export const power = (id: string, powered: boolean): Outcome =>
  done(rows.power, { params: { id }, body: { powered } });

export const unplug = (id: string): Outcome => done(rows.unplug, { params: { id } });

export const addProxy = (body: Body): Outcome => checked(rows.addProxy, 'the proxy', body);

export const removeProxy = (name: string): Outcome => done(rows.removeProxy, { params: { name } });

export const addFault = (body: Body): Outcome => checked(rows.addFault, 'the fault', body);

export const removeFault = (id: string): Outcome => done(rows.removeFault, { params: { id } });

export const startChaos = (plan: JsonRecord): Outcome => done(rows.startChaos, { body: plan });

export const stopChaos = (): Outcome => done(rows.stopChaos, {});

export const reset = (body: Body): Outcome => checked(rows.reset, 'the reset', body);

/** Saves the capture by a request, since a link cannot carry the token. */
export const saveTrace = async (): Outcome => {
  const request = requestOf(rows.trace, {});
  curl.value = `${curlOf(request)} -o air.btsnoop`;
  try {
    const response = await send(request);
    if (!response.ok) return { code: 'no_trace', error: texts.noTrace };
    save(await response.blob(), 'air.btsnoop');
    return null;
  } catch {
    return UNREACHABLE;
  }
};
