import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Endpoints } from './contract.js';
import type { World } from './world.js';

export const proxyHandlers = (world: World) =>
  ({
    proxies: () => TE.right(world.proxies.list()),
    addProxy: ({ body }) => world.addProxy(body),
    removeProxy: ({ params: { name } }) =>
      pipe(
        world.removeProxy(name),
        TE.map(() => ({ name, deleted: true as const })),
      ),
  }) satisfies Partial<Handlers<Endpoints, DeviceError>>;
