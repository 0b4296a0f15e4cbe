import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { MadeDevice } from '../devices/device-kind.js';
import type { Endpoints } from './contract.js';
import type { DeviceList } from './device-list.js';
import { decodeSpec } from './specs.js';
import type { World } from './world.js';

/** The devices: who is there, what they are like, what happens to them. */
export const deviceHandlers = (devices: DeviceList) => {
  /** Changes a device and answers with its new model. */
  const changing = (
    address: string,
    change: (device: MadeDevice) => E.Either<DeviceError, void>,
  ): TE.TaskEither<DeviceError, Json> =>
    pipe(
      devices.find(address),
      E.chainFirst(({ device }) => change(device)),
      E.map((simulated) => devices.describe(simulated)),
      TE.fromEither,
    );

  return {
    devices: () =>
      TE.right(
        devices.list().map(({ address, kind, device }) => {
          const { name, connected, advertising } = device.peripheral;
          return { address, kind, name, connected, advertising };
        }),
      ),
    device: ({ params: { address } }) => changing(address, () => E.right(undefined)),
    act: ({ params: { address }, body }) => changing(address, (device) => device.act(body)),
    behave: ({ params: { address }, body }) => changing(address, (device) => device.setBehaviour(body)),
  } satisfies Partial<Handlers<Endpoints, DeviceError>>;
};

/** Devices that appear and vanish. */
export const deviceListHandlers = (world: World) =>
  ({
    add: ({ body }) =>
      pipe(
        body,
        decodeSpec(world.kinds),
        TE.fromEither,
        TE.chain((spec) => world.add(spec)),
      ),
    remove: ({ params: { address } }) =>
      pipe(
        world.remove(address),
        TE.map(() => ({ address, deleted: true })),
      ),
  }) satisfies Partial<Handlers<Endpoints, DeviceError>>;
