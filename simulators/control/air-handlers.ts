import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { Air, AirSettings } from '../radio/index.js';
import type { Air as AirAnswer, AirChange, Endpoints } from './contract.js';
import { receptionOf } from './specs.js';
import type { World } from './world.js';

const settingsOf = ({ latency_ms: latencyMs, ...others }: AirChange): Partial<AirSettings> => ({
  ...others,
  ...(latencyMs === undefined ? {} : { latencyMs }),
});

const airAnswer = ({ settings: { pace, loss, latencyMs, seed } }: Air): AirAnswer => ({
  pace,
  loss,
  latency_ms: latencyMs,
  seed,
});

/** The air and its faults, the hosts' adapters, and the way back to the start. */
export const airHandlers = (world: World) => {
  const { air, adapters, chaos } = world;
  return {
    air: () => TE.right({ ...airAnswer(air), chaos: chaos.report !== undefined }),
    setAir: ({ body }) => {
      air.configure(settingsOf(body));
      return TE.right(airAnswer(air));
    },
    place: ({ params: { address }, body }) =>
      pipe(
        world.setReception(address, receptionOf(body), body.adapter),
        E.map(({ rssi, inRange }) => ({ address, rssi, in_range: inRange })),
        TE.fromEither,
      ),
    faults: () => TE.right(air.faults.list()),
    addFault: ({ body }) => TE.fromEither(world.addFault(body)),
    removeFault: ({ params: { id } }) =>
      air.faults.remove(id) !== undefined
        ? TE.right({ id, deleted: true })
        : TE.left({ _tag: 'UnknownFault', id }),
    adapters: () => TE.right(adapters.list()),
    power: ({ params: { id }, body: { powered } }) =>
      adapters.power(id, powered)
        ? // A fault that holds the power off wins over the request.
          TE.right({ id, powered: adapters.list().some((one) => one.id === id && one.powered) })
        : TE.left({ _tag: 'UnknownAdapter', id }),
    unplug: ({ params: { id } }) =>
      pipe(
        TE.fromTask(() => adapters.unplug(id)),
        TE.chain((found) =>
          found ? TE.right({ id, deleted: true }) : TE.left({ _tag: 'UnknownAdapter', id }),
        ),
      ),
    violations: () =>
      TE.right({
        strict: air.strict,
        violations: air.violations
          .list()
          .map(({ first, ...violation }) => ({ ...violation, packet: first?.number ?? null })),
      }),
    reset: ({ body: { seed } }) =>
      pipe(
        world.reset(seed),
        TE.map(() => airAnswer(air)),
      ),
  } satisfies Partial<Handlers<Endpoints, DeviceError>>;
};

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
