import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type * as t from 'io-ts';
import * as codecs from '../../src/codecs/index.js';
import { decode } from '../../src/codecs/index.js';
import { notConnected, type Route } from '../../src/http/index.js';
import type { DeviceError } from '../device-error.js';
import type { Air, AirSettings, Trace } from '../radio/index.js';
import { addressIn } from './device-routes.js';
import { fromDeviceError } from './errors.js';
import { FaultBody, faultJson } from './faults.js';
import { PlaceBody, placeOf } from './specs.js';
import type { World } from './world.js';

const MAX_LATENCY_MS = 60_000;
const MAX_SEED = 2 ** 32 - 1;

const seed = codecs.integer(0, MAX_SEED);

const AirBody = codecs.closedObject(
  {},
  {
    pace: codecs.oneOf(['fast', 'real']),
    loss: codecs.number(0, 1),
    latency_ms: codecs.number(0, MAX_LATENCY_MS),
    seed,
  },
);

const ResetBody = codecs.closedObject({}, { seed });

const PowerBody = codecs.closedObject({ powered: codecs.boolean });

const settingsOf = ({
  latency_ms: latencyMs,
  ...others
}: t.TypeOf<typeof AirBody>): Partial<AirSettings> => ({
  ...others,
  ...(latencyMs === undefined ? {} : { latencyMs }),
});

const airJson = ({ settings: { pace, loss, latencyMs, seed: current } }: Air): JsonRecord => ({
  pace,
  loss,
  latency_ms: latencyMs,
  seed: current,
});

/** The capture so far. */
export const traceRoute = (trace: Trace | undefined): Route => ({
  method: 'GET',
  path: '/trace',
  type: 'application/octet-stream',
  file: () =>
    trace === undefined
      ? TE.left(notConnected('no_trace', 'this world keeps no trace'))
      : TE.right(trace.snapshot()),
});

/** The way back to the start: `reset`, with the seed of the request if it has one, then `answer`. */
export const resetRoute = (
  reset: (seed: number | undefined) => TE.TaskEither<DeviceError, void>,
  answer: () => Json,
): Route => ({
  method: 'POST',
  path: '/reset',
  body: 'optional',
  handler: ({ body }) =>
    pipe(
      body,
      decode(ResetBody, 'the body'),
      TE.fromEither,
      TE.chainW(({ seed: given }) => reset(given)),
      TE.bimap(fromDeviceError, answer),
    ),
});

/** The air, its faults and its capture, the hosts' adapters, and the way back to the start. */
export const airRoutes = (world: World): readonly Route[] => {
  const { air, adapters } = world;
  return [
    { method: 'GET', path: '/air', body: 'ignored', handler: () => TE.right(airJson(air)) },
    {
      method: 'PUT',
      path: '/air',
      body: 'required',
      handler: ({ body }) =>
        pipe(
          body,
          decode(AirBody, 'the body'),
          E.map((change) => {
            air.configure(settingsOf(change));
            return airJson(air);
          }),
          TE.fromEither,
        ),
    },
    {
      method: 'PUT',
      path: '/air/:address',
      body: 'required',
      handler: (request) =>
        pipe(
          addressIn(request),
          E.bindTo('address'),
          E.bind('place', () => pipe(request.body, decode(PlaceBody, 'the body'), E.map(placeOf))),
          E.chainFirstW(({ address, place }) => world.place(address, place)),
          E.bimap(fromDeviceError, ({ address }) => {
            const { rssi, inRange } = air.placeOf(address);
            return { address, rssi, in_range: inRange };
          }),
          TE.fromEither,
        ),
    },
    {
      method: 'GET',
      path: '/faults',
      body: 'ignored',
      handler: () => TE.right(air.faults.list().map(faultJson)),
    },
    {
      method: 'POST',
      path: '/faults',
      body: 'required',
      handler: ({ body }) =>
        pipe(
          body,
          decode(FaultBody, 'the body'),
          E.chainW((fault) => world.addFault(fault)),
          E.bimap(fromDeviceError, faultJson),
          TE.fromEither,
        ),
    },
    {
      method: 'DELETE',
      path: '/faults/:id',
      body: 'ignored',
      handler: ({ params: { id = '' } }) =>
        air.faults.remove(id) !== undefined
          ? TE.right({ id, deleted: true })
          : TE.left(notConnected('unknown_fault', `there is no fault ${id}`)),
    },
    {
      method: 'GET',
      path: '/adapters',
      body: 'ignored',
      handler: () => TE.right(adapters.list().map((adapter): JsonRecord => ({ ...adapter }))),
    },
    {
      method: 'POST',
      path: '/adapters/:id',
      body: 'required',
      handler: ({ params: { id = '' }, body }) =>
        pipe(
          body,
          decode(PowerBody, 'the body'),
          E.filterOrElseW(
            ({ powered }) => adapters.power(id, powered),
            (): DeviceError => ({ _tag: 'UnknownAdapter', id }),
          ),
          // What a fault keeps without power is not switched on by anybody.
          E.bimap(fromDeviceError, () => ({
            id,
            powered: adapters.list().some((one) => one.id === id && one.powered),
          })),
          TE.fromEither,
        ),
    },
    {
      method: 'GET',
      path: '/violations',
      body: 'ignored',
      handler: () =>
        TE.right({
          strict: air.strict,
          violations: air.violations.list().map((violation): JsonRecord => ({ ...violation })),
        }),
    },
    traceRoute(air.trace),
    resetRoute(
      (given) => world.reset(given),
      () => airJson(air),
    ),
  ];
};
