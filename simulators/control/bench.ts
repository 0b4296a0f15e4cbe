import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../src/async/defects.js';
import { openAdapter, type AdapterSocket } from '../peripheral/adapter.js';
import { SerialQueue } from '../../src/async/tasks.js';
import { systemTime } from '../../src/async/time.js';
import type { Context } from '../devices/device.js';
import type { DeviceError } from '../devices/device-error.js';
import type { MakeDevice } from '../devices/device-kind.js';
import { createPeripheral } from '../peripheral/index.js';
import { seededRng, type Trace } from '../radio/index.js';
import { countedKinds, type CountedKind } from './kinds.js';
import { News } from './news.js';
import {
  closeDevice,
  describedWith,
  type DeviceList,
  type NewsListener,
  type SimulatedDevice,
} from './device-list.js';

export interface BenchOptions {
  readonly kind: CountedKind;
  /** The number of the adapter; undefined: the first one that is down. */
  readonly adapter: number | undefined;
  readonly seed: number;
  readonly trace: Trace;
  /** Called with a message when the adapter was lost and cannot be opened again. */
  readonly warn: (cause: string) => void;
}

/** The number of the adapter's controller in the trace. */
const CONTROLLER = 0;

/** One virtual device on an adapter of this machine, under the adapter's own address. */
export class Bench implements DeviceList {
  private readonly news = new News(this);
  /** Undefined while a reset failed. */
  private only: SimulatedDevice | undefined;
  /** Undefined while it cannot be taken. */
  private socket: AdapterSocket | undefined;
  /** The number of the adapter, once it was taken. */
  private device: number | undefined;
  private readonly changes = new SerialQueue();

  private constructor(
    private readonly options: BenchOptions,
    private readonly make: MakeDevice,
  ) {}

  /** Puts the device on the air. Left: a message that names the problem and its solution. */
  static open(options: BenchOptions): TE.TaskEither<string, Bench> {
    const prepared = countedKinds[options.kind].prepare({});
    if (E.isLeft(prepared)) return TE.left(`a ${options.kind} needs a start state of its own`);
    const bench = new Bench(options, prepared.right.make);
    return pipe(
      bench.bring(options.seed),
      TE.map(() => bench),
    );
  }

  list(): readonly SimulatedDevice[] {
    return this.only === undefined ? [] : [this.only];
  }

  find(address: string): E.Either<DeviceError, SimulatedDevice> {
    return this.only?.address === address ? E.right(this.only) : E.left({ _tag: 'UnknownDevice', address });
  }

  describe(simulated: SimulatedDevice): JsonRecord {
    return describedWith(simulated);
  }

  listen(listener: NewsListener): () => void {
    return this.news.listen(listener);
  }

  /** The adapter's name, such as `hci1`. */
  get adapter(): string {
    return this.socket?.name ?? '';
  }

  get trace(): Trace {
    return this.options.trace;
  }

  /** Ends the link, and resets the device to its state at the start. Left: the adapter is gone, or the device did not close in order. */
  reset(seed = this.options.seed): TE.TaskEither<DeviceError, void> {
    return () =>
      this.changes.run(async () => {
        const gone = await this.dismiss();
        const there = await pipe(
          this.bring(seed),
          TE.mapLeft((reason): DeviceError => ({ _tag: 'AdapterFailed', reason })),
        )();
        return E.isLeft(there) ? there : gone;
      });
  }

  /** The device leaves; the adapter is silent, and the kernel's again. */
  readonly close = (): Promise<void> =>
    this.changes.run(async () => {
      await this.dismiss();
      await this.release();
    });

  private bring(seed: number): TE.TaskEither<string, void> {
    return pipe(
      this.take(),
      TE.chain((socket) => this.settle(socket, seed)),
    );
  }

  /** The adapter that it has; if that is lost, the same one opened again. */
  private take(): TE.TaskEither<string, AdapterSocket> {
    const { adapter, warn, trace } = this.options;
    if (this.socket?.isDevUp() === true) return TE.right(this.socket);
    return pipe(
      TE.fromTask(() => this.release()),
      TE.chain(() => openAdapter(this.device ?? adapter, warn, systemTime)),
      TE.map((socket) => {
        trace.opened(CONTROLLER, socket.address, socket.name);
        socket.trace({
          fromHost: (packet) => trace.fromHost(CONTROLLER, packet),
          toHost: (packet) => trace.toHost(CONTROLLER, packet),
        });
        this.device = socket.device;
        this.socket = socket;
        return socket;
      }),
    );
  }

  /** Left: the reason why the device could not start; the adapter is released. */
  private settle(socket: AdapterSocket, seed: number): TE.TaskEither<string, void> {
    const { kind } = this.options;
    const { address, name } = socket;
    return async () => {
      const advertising = socket.advertises();
      const making = TE.tryCatch(
        () => this.make(this.context(socket, seed)),
        (thrown) => `the ${kind} does not come up on ${name}: ${String(thrown)}`,
      )();
      // On an adapter that does not answer, `making` never settles.
      const first = await Promise.race([making, advertising]);
      const advertises = E.isLeft(first) ? first : await advertising;
      const made = E.isLeft(advertises) ? advertises : await making;
      if (E.isLeft(made)) {
        detached(making.then(E.map((device) => device.close())));
        await this.release();
        return made;
      }
      this.only = { address, kind, device: made.right };
      this.news.happened(address, () => ({ type: 'added' }));
      this.news.changed(address);
      return E.right(undefined);
    };
  }

  private context(socket: AdapterSocket, seed: number): Context {
    const { address } = socket;
    const changed = (): void => this.news.changed(address);
    return {
      createPeripheral: (options) => createPeripheral({ ...options, socket, changed }),
      ...{ socket, addressType: 'public' },
      ...{ address, time: systemTime, hostTime: systemTime, rng: seededRng(seed), changed },
      ...{ rssi: () => null, listened: () => true },
      happened: (event) => this.news.happened(address, event),
    };
  }

  /** The device leaves; the adapter is silent. Left: the device did not close in order. */
  private async dismiss(): Promise<E.Either<DeviceError, void>> {
    if (this.only === undefined) return E.right(undefined);
    const { address } = this.only;
    this.news.happened(address, () => ({ type: 'removed' }));
    const closed = closeDevice(this.only);
    this.only = undefined;
    await this.socket?.silent;
    return closed;
  }

  private async release(): Promise<void> {
    if (this.socket === undefined) return;
    await this.socket.release();
    this.socket = undefined;
    this.trace.closed(CONTROLLER);
  }
}
