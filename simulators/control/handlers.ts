/** The handlers of the control API. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Json } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Handlers } from '../../src/operations/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { MadeDevice } from '../devices/device-kind.js';
import { PacketReader, type TraceRecords } from '../packets/index.js';
import type { Air, AirSettings, Trace } from '../radio/index.js';
import { decodeChaos } from './chaos-plan.js';
import { withoutToken } from './clock-tokens.js';
import type { Air as AirAnswer, AirChange, Endpoints } from './contract.js';
import type { DeviceList } from './device-list.js';
import { decodeSpec, receptionOf } from './specs.js';
import { USUAL_PACKETS } from './trace-rows.js';
import type { World } from './world.js';

export const deviceHandlers = (devices: DeviceList) => {
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

const noChaos: DeviceError = { _tag: 'NoChaos' };

const orNoChaos = <A>(report: A | undefined): TE.TaskEither<DeviceError, A> =>
  TE.fromEither(E.fromNullable(noChaos)(report));

/** Devices and proxies that appear and vanish, and chaos among them. */
export const worldHandlers = (world: World) =>
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
    proxies: () => TE.right(world.proxies.list()),
    addProxy: ({ body }) => world.addProxy(body),
    removeProxy: ({ params: { name } }) =>
      pipe(
        world.removeProxy(name),
        TE.map(() => ({ name, deleted: true as const })),
      ),
    chaos: () => orNoChaos(world.chaos.report),
    schedule: () => orNoChaos(world.chaos.schedule),
    startChaos: ({ body }) =>
      pipe(
        decodeChaos(body),
        TE.fromEither,
        TE.chain((plan) => {
          world.chaos.start(plan);
          return orNoChaos(world.chaos.report);
        }),
      ),
    stopChaos: () => orNoChaos(world.chaos.stop()),
  }) satisfies Partial<Handlers<Endpoints, DeviceError>>;

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

const none = TE.left<DeviceError>({ _tag: 'NoTrace' });

const masked = (trace: Trace): TraceRecords => ({
  get newest() {
    return trace.newest;
  },
  after: (number, limit) => trace.after(number, limit).map(withoutToken),
  controllers: () => trace.controllers(),
});

/** The capture so far, as a file and in words; tokens of clocks are shown to clients that ask for them alone. */
export const traceHandlers = (
  trace: Trace | undefined,
): Handlers<Pick<Endpoints, 'trace' | 'packets'>, DeviceError> => {
  if (trace === undefined) return { trace: () => none, packets: () => none };
  const readers = { shown: new PacketReader(trace), masked: new PacketReader(masked(trace)) };
  return {
    trace: ({ query: { tokens } }) => TE.right(trace.snapshot(tokens === 'shown' ? undefined : withoutToken)),
    packets: ({ query: { since, limit = USUAL_PACKETS, tokens = 'masked' } }) =>
      TE.right(readers[tokens].read(since, limit)),
  };
};
