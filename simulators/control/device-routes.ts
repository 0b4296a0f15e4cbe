import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import * as codecs from '../../src/codecs/index.js';
import { decode } from '../../src/codecs/index.js';
import { type ApiRequest, type JsonRoute, type ServerError } from '../../src/http/index.js';
import type { DeviceError } from '../device-error.js';
import type { MadeDevice } from '../device-kind.js';
import { fromDeviceError } from './errors.js';
import type { Population } from './population.js';
import { decodeSpec } from './specs.js';
import type { World } from './world.js';

/** The device address in the path, upper case. */
export const addressIn = ({ params }: ApiRequest): E.Either<codecs.ParseError, string> =>
  pipe(params['address'], decode(codecs.deviceAddress, 'the address in the path'));

/** The devices: who is there, what they are like, what happens to them. */
export const deviceRoutes = (world: Population): readonly JsonRoute[] => {
  const inhabitantIn = (request: ApiRequest) =>
    pipe(
      addressIn(request),
      E.chainW((address) => world.find(address)),
    );
  /** Does something to the device in the path and answers what it is like then. */
  const changing =
    (change: (device: MadeDevice, body: unknown) => E.Either<DeviceError, void>) =>
    (request: ApiRequest): TE.TaskEither<ServerError, Json> =>
      pipe(
        inhabitantIn(request),
        E.chain((inhabitant) =>
          pipe(
            change(inhabitant.device, request.body),
            E.map(() => world.describe(inhabitant)),
          ),
        ),
        TE.fromEither,
        TE.mapLeft(fromDeviceError),
      );

  return [
    {
      method: 'GET',
      path: '/devices',
      body: 'ignored',
      handler: () =>
        TE.right(
          world.list().map(({ address, kind, device }): JsonRecord => {
            const { name, connected, advertising } = device.peripheral;
            return { address, kind, name, connected, advertising };
          }),
        ),
    },
    {
      method: 'GET',
      path: '/devices/:address',
      body: 'ignored',
      handler: (request) =>
        pipe(
          inhabitantIn(request),
          E.bimap(fromDeviceError, (inhabitant) => world.describe(inhabitant)),
          TE.fromEither,
        ),
    },
    {
      method: 'POST',
      path: '/devices/:address/actions',
      body: 'required',
      handler: changing((device, body) => device.act(body)),
    },
    {
      method: 'PUT',
      path: '/devices/:address/behaviour',
      body: 'required',
      handler: changing((device, body) => device.setBehaviour(body)),
    },
  ];
};

/** Devices that appear and vanish. */
export const populationRoutes = (world: World): readonly JsonRoute[] => [
  {
    method: 'POST',
    path: '/devices',
    body: 'required',
    handler: ({ body }) =>
      pipe(
        body,
        decodeSpec(world.kinds),
        TE.fromEither,
        TE.chainW((spec) => world.add(spec)),
        TE.mapLeft(fromDeviceError),
      ),
  },
  {
    method: 'DELETE',
    path: '/devices/:address',
    body: 'ignored',
    handler: (request) =>
      pipe(
        addressIn(request),
        TE.fromEither,
        TE.chainW((address) =>
          pipe(
            world.remove(address),
            TE.map(() => ({ address, deleted: true })),
          ),
        ),
        TE.mapLeft(fromDeviceError),
      ),
  },
];
