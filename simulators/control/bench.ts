import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { JsonRecord } from 'fp-ts/lib/Json.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { openAdapter, type AdapterSocket } from '../../src/ble/hci/adapter.js';
import { coreError, type Message, type Route, type ServerError } from '../../src/http/index.js';
import { systemClock } from '../../src/time.js';
import type { MakeDevice } from '../device-kind.js';
import { createPeripheral } from '../peripheral/index.js';
import { seededRng, type Trace } from '../radio/index.js';
import { resetRoute, traceRoute } from './air-routes.js';
import { usualKinds, type UsualKind } from './kinds.js';
import { News, modelMessage, type Described } from './news.js';
import { unknownDevice, type Inhabitant, type Population } from './population.js';

export interface BenchOptions {
  readonly kind: UsualKind;
  /** The number of the adapter; undefined: the first one that is up. */
  readonly adapter: number | undefined;
  readonly seed: number;
  readonly trace: Trace;
}

interface OnAdapter extends Inhabitant {
  readonly socket: AdapterSocket;
}

/** In the trace. */
const CONTROLLER = 0;

/** One virtual device on an adapter of this machine, under the adapter's own address. */
export class Bench implements Population {
  private readonly news = new News((address) =>
    address === this.only?.address ? this.described(this.only) : undefined,
  );
  /** Undefined while a reset failed. */
  private only: OnAdapter | undefined;
  private turn: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly options: BenchOptions,
    private readonly make: MakeDevice,
  ) {}

  /** Puts the device on the air. Left: a sentence that says what is missing and what to do. */
  static open(options: BenchOptions): TE.TaskEither<string, Bench> {
    const prepared = usualKinds[options.kind].prepare({});
    if (E.isLeft(prepared)) return TE.left(`a ${options.kind} needs a start state of its own`);
    const bench = new Bench(options, prepared.right);
    return pipe(
      bench.bring(options.seed),
      TE.map(() => bench),
    );
  }

  list(): readonly Inhabitant[] {
    return this.only === undefined ? [] : [this.only];
  }

  find(address: string): E.Either<ServerError, Inhabitant> {
    return this.only?.address === address ? E.right(this.only) : E.left(unknownDevice(address));
  }

  describe({ address, kind, device }: Inhabitant): JsonRecord {
    const { name, connected, advertising } = device.peripheral;
    const own = { address, kind, name, connected, advertising };
    return { ...own, ...device.model(), ...own };
  }

  messages(): readonly Message[] {
    return this.only === undefined ? [] : [modelMessage(this.described(this.only))];
  }

  listen(listener: (message: Message) => void): () => void {
    return this.news.listen(listener);
  }

  /** The adapter's name, such as `hci1`. */
  get adapter(): string {
    return this.only?.socket.name ?? '';
  }

  get trace(): Trace {
    return this.options.trace;
  }

  /** The device as it was at the start, its link ended. Left: the adapter is gone. */
  reset(seed = this.options.seed): TE.TaskEither<ServerError, void> {
    return pipe(
      this.inTurn(() => {
        this.dismiss();
        return this.bring(seed)();
      }),
      TE.mapLeft((why) => coreError('adapter_failed', why)),
    );
  }

  /** The device leaves, the adapter is silent. */
  readonly close = async (): Promise<void> => {
    await this.turn;
    this.dismiss();
  };

  private inTurn<A>(task: () => Promise<A>): () => Promise<A> {
    return () => {
      const result = this.turn.then(task);
      this.turn = result;
      return result;
    };
  }

  private described(inhabitant: Inhabitant): Described {
    const { address, kind } = inhabitant;
    return { address, kind, model: () => this.describe(inhabitant) };
  }

  private bring(seed: number): TE.TaskEither<string, void> {
    const { kind, adapter, trace } = this.options;
    return pipe(
      openAdapter(adapter, {
        fromHost: (packet) => trace.fromHost(CONTROLLER, packet),
        toHost: (packet) => trace.toHost(CONTROLLER, packet),
      }),
      TE.chain((socket) =>
        TE.tryCatch(
          async () => {
            const { address } = socket;
            trace.opened(CONTROLLER, address, socket.name);
            const changed = (): void => this.news.changed(address);
            const device = await this.make({
              createPeripheral: (options) => createPeripheral({ ...options, socket, changed }),
              ...{ address, clock: systemClock, rng: seededRng(seed), listened: () => true, changed },
              happened: (event) => this.news.happened(address, event),
            });
            const advertises = await socket.advertises;
            if (E.isLeft(advertises)) {
              device.close();
              return advertises;
            }
            this.only = { address, kind, device, socket };
            this.news.happened(address, () => ({ type: 'added' }));
            this.news.changed(address);
            return E.right(undefined);
          },
          (thrown) => {
            socket.stop();
            return `the ${kind} does not come up on ${socket.name}: ${String(thrown)}`;
          },
        ),
      ),
      TE.chain(TE.fromEither),
    );
  }

  private dismiss(): void {
    if (this.only === undefined) return;
    const { address, device } = this.only;
    this.news.happened(address, () => ({ type: 'removed' }));
    this.only = undefined;
    device.close();
    this.options.trace.closed(CONTROLLER);
  }
}

/** What there is of the control API where no air is simulated. */
export const benchRoutes = (bench: Bench): readonly Route[] => [
  traceRoute(bench.trace),
  resetRoute(
    (seed) => bench.reset(seed),
    () => ({ devices: bench.list().length }),
  ),
];
