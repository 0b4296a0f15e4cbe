import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Clock } from '../../time.js';
import { describeStatus, Status } from '../hci/status.js';
import type {
  AdapterState,
  Address,
  Advertisement,
  BleError,
  BleLimits,
  GattProfile,
  Link,
  Radio,
  Unsubscribe,
} from '../ports.js';
import { attemptConnect } from './connect-attempt.js';
import { ConnectQueue } from './connect-queue.js';
import { Heard, type Memory } from './heard.js';
import { NobleLink } from './link.js';
import {
  adapterIsUp,
  findPeripheral,
  forgetPeripheral,
  loadNoble,
  peripheralCount,
  startNoble,
  statusOf,
  strengthOf,
  type Warn,
  type Noble,
  type NoblePeripheral,
} from './noble.js';
import { Scan } from './scan.js';
import type { Transport } from './transport.js';

/** Attempts when the controller says 0x3E: the device missed the request, and hears the next one. */
const ESTABLISHMENT_ATTEMPTS = 3;

/** What an adapter without room for another link answers. */
const NO_ROOM: readonly number[] = [Status.connectionLimitExceeded, 0x0d];

export interface NobleRadioOptions {
  readonly transport: Transport;
  readonly limits: BleLimits;
  readonly clock: Clock;
  readonly memory: Memory;
  readonly warn: Warn;
}

/** The radio by way of noble: one noble for as long as the adapter is on, a fresh one when it comes back. */
export class NobleRadio implements Radio {
  private noble: Noble | undefined;
  private adapter: AdapterState = 'unknown';
  private closed = false;
  private closing: Promise<void> | undefined;
  private readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly listeners = new Set<(advertisement: Advertisement) => void>();
  private readonly links = new Map<Address, NobleLink>();
  private readonly connects: ConnectQueue<NobleLink>;
  private contended = false;
  /** Ends what waits for the adapter when that is gone. */
  private gone = new AbortController();
  private readonly heardLately: Heard;
  private readonly scan: Scan;

  constructor(private readonly options: NobleRadioOptions) {
    const { clock, memory, transport, limits } = options;
    this.heardLately = new Heard(clock, memory, (address) => this.forget(address));
    this.scan = new Scan(clock);
    this.connects = new ConnectQueue({
      clock,
      limit: limits.connect,
      heard: this.heardLately,
      attempt: (address, stop) => this.attempt(address, stop),
      discard: (link) => link.disconnect(),
      contended: (contended) => {
        this.contended = contended;
        this.wantScan();
      },
    });
    transport.on('up', () => this.noble !== undefined && adapterIsUp(this.noble));
    transport.on('down', () => this.restart('poweredOff'));
  }

  /** @throws what the socket throws when it cannot be opened. */
  start(): void {
    const { transport, warn } = this.options;
    const noble = loadNoble(transport.socket(), transport, warn);
    startNoble(noble);
    this.noble = noble;
    noble.on('stateChange', (state: AdapterState) => this.changeState(state));
    noble.on('discover', (peripheral: NoblePeripheral) => this.hear(peripheral));
  }

  get state(): AdapterState {
    return this.adapter;
  }

  /** What the radio holds at the moment; all but `heard` and `peripherals` go back to 0 when it is idle. */
  get counts(): { links: number; listeners: number; heard: number; peripherals: number } {
    return {
      links: this.links.size,
      listeners: this.listeners.size + this.stateListeners.size,
      heard: this.heardLately.size,
      peripherals: this.noble === undefined ? 0 : peripheralCount(this.noble),
    };
  }

  onState(listener: (state: AdapterState) => void): Unsubscribe {
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }

  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    const entry = (advertisement: Advertisement): void => listener(advertisement);
    this.listeners.add(entry);
    this.wantScan();
    return () => {
      this.listeners.delete(entry);
      this.wantScan();
    };
  }

  heard(address: Address): Advertisement | undefined {
    return this.heardLately.get(address);
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, Link> {
    return async () => {
      // A device may freeze noble's first request by refusing it oddly: it gets one more chance on a new link.
      let discoveries = 2;
      for (let attempt = 1; ; attempt++) {
        const connected = await this.inTurn(address, signal);
        if (E.isLeft(connected)) return connected;
        const link = connected.right;
        const onAbort = (): void => void link.disconnect();
        signal?.addEventListener('abort', onAbort, { once: true });
        const discovered = await link.discover(profile)();
        signal?.removeEventListener('abort', onAbort);
        if (E.isRight(discovered)) return E.right(link);
        const why = discovered.left;
        await link.disconnect();
        const missed = why._tag === 'LinkLost' && why.reason === Status.failedToEstablish;
        if (missed && attempt < ESTABLISHMENT_ATTEMPTS) continue;
        if (why._tag === 'Timeout' && --discoveries > 0) continue;
        return E.left(missed ? this.failed(address, describeStatus(Status.failedToEstablish)) : why);
      }
    };
  }

  readonly close: Task<void> = () => (this.closing ??= this.shutDown());

  private async shutDown(): Promise<void> {
    this.closed = true;
    this.wantScan();
    await this.connects.end((address) => ({ _tag: 'Closed', address }));
    await Promise.all([...this.links.values()].map((link) => link.disconnect()));
    this.scan.use(undefined);
    this.heardLately.clear();
    this.noble?.removeAllListeners();
    this.noble = undefined;
    this.options.transport.close();
  }

  private changeState(state: AdapterState): void {
    if (this.closed || state === this.adapter) return;
    this.adapter = state;
    this.scan.use(state === 'poweredOn' ? this.noble : undefined);
    for (const listener of [...this.stateListeners]) listener(state);
  }

  /** noble does not survive the loss of its adapter: what was linked has ended, and a new noble waits. */
  private restart(state: AdapterState): void {
    if (this.closed) return;
    this.noble?.removeAllListeners();
    this.noble = undefined;
    this.changeState(state);
    this.heardLately.clear();
    // First, so that nothing is cancelled at an adapter that is gone.
    this.gone.abort();
    this.gone = new AbortController();
    void this.connects.end(() => ({ _tag: 'AdapterOff', state }));
    for (const link of [...this.links.values()]) link.adapterGone({ _tag: 'AdapterOff', state });
    this.links.clear();
    try {
      this.start();
    } catch (error) {
      this.options.warn('the adapter cannot be opened again', error);
    }
  }

  private hear(peripheral: NoblePeripheral): void {
    const { advertisement: said, rssi, connectable } = peripheral;
    const advertisement: Advertisement = {
      address: peripheral.address.toUpperCase(),
      name: said.localName?.replace(/\0+$/, '') ?? null,
      rssi: strengthOf(rssi),
      heardAt: this.options.clock.date(),
      connectable,
      // noble goes on writing into its own.
      serviceUuids: [...(said.serviceUuids ?? [])],
      serviceData: [...(said.serviceData ?? [])],
    };
    this.scan.heard();
    this.heardLately.add(advertisement);
    this.connects.heard(advertisement.address);
    for (const listener of [...this.listeners]) listener(advertisement);
  }

  private forget(address: Address): void {
    const used = this.links.has(address) || this.connects.has(address);
    if (this.noble !== undefined && !used) forgetPeripheral(this.noble, address);
  }

  /** The adapter scans while anybody listens, and while devices wait to be connected: who is there goes first. */
  private wantScan(): void {
    this.scan.want(!this.closed && (this.contended || this.listeners.size > 0));
  }

  /** Connects a device in its turn; given up at once if `signal` aborts before. */
  private async inTurn(address: Address, signal?: AbortSignal): Promise<E.Either<BleError, NobleLink>> {
    const ready = this.ready(address);
    if (E.isLeft(ready)) return ready;
    const outcome = await this.connects.connect(address, signal);
    if (E.isLeft(outcome) && outcome.left._tag === 'Timeout') this.heardLately.remove(address);
    if (this.heardLately.get(address) === undefined) this.forget(address);
    return outcome;
  }

  private async attempt(address: Address, stop: AbortSignal): Promise<E.Either<BleError, NobleLink>> {
    await this.links.get(address)?.disconnect();
    let created = await this.create(address, stop);
    if (E.isLeft(created) && created.left === Status.commandDisallowed) {
      // Some adapters cannot look for a peer while they scan.
      this.scan.pause(true);
      created = await this.create(address, stop);
      this.scan.pause(false);
    }
    return E.mapLeft(this.explain(address))(created);
  }

  private explain =
    (address: Address) =>
    (why: BleError | number): BleError => {
      if (typeof why !== 'number') return why;
      return NO_ROOM.includes(why)
        ? { _tag: 'LinkLimit', address }
        : this.failed(address, describeStatus(why));
    };

  /** What an attempt needs. */
  private ready(
    address: Address,
  ): E.Either<BleError, { readonly noble: Noble; readonly peripheral: NoblePeripheral }> {
    const { noble, adapter } = this;
    if (this.closed) return E.left({ _tag: 'Closed', address });
    if (noble === undefined || adapter !== 'poweredOn') return E.left({ _tag: 'AdapterOff', state: adapter });
    const peripheral = findPeripheral(noble, address);
    return peripheral === undefined ? E.left({ _tag: 'NotHeard', address }) : E.right({ noble, peripheral });
  }

  /** Left is an error, or the HCI status with which the controller refused. */
  private async create(address: Address, stop: AbortSignal): Promise<E.Either<BleError | number, NobleLink>> {
    const ready = this.ready(address);
    if (E.isLeft(ready)) return ready;
    if (stop.aborted) return E.left({ _tag: 'Closed', address });
    const { peripheral } = ready.right;
    const { clock } = this.options;
    const linked = (): NobleLink => this.adopt(peripheral);
    const made = await attemptConnect({ ...ready.right, clock, stop, gone: this.gone.signal, linked });
    return E.mapLeft((error: Error) => statusOf(error) ?? this.failed(address, error.message))(made);
  }

  private adopt(peripheral: NoblePeripheral): NobleLink {
    const { limits, clock } = this.options;
    const link = new NobleLink(peripheral, limits, clock);
    this.links.set(link.address, link);
    link.onEnd((why) => {
      // Until it is heard again an attempt would only keep others waiting; what merely failed to be established is there.
      if (why._tag === 'LinkLost' && why.reason !== Status.failedToEstablish)
        this.heardLately.remove(link.address);
      void link.disconnect().then(() => {
        if (this.links.get(link.address) === link) this.links.delete(link.address);
        if (this.heardLately.get(link.address) === undefined) this.forget(link.address);
      });
    });
    return link;
  }

  private failed(address: Address, reason: string): BleError {
    return { _tag: 'ConnectFailed', address, reason };
  }
}
