import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached, isolated, Listeners } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import { Status } from '../hci/status.js';
import type {
  AdapterState,
  Address,
  Advertisement,
  BleError,
  BleLimits,
  GattProfile,
  Radio,
  Unsubscribe,
} from '../ports.js';
import { AdvertisementCache, type Memory } from '../advertisement-cache.js';
import { attemptConnect, type ReadyAdapter } from './connect-attempt.js';
import { connectRefused, ConnectQueue } from '../connect-queue.js';
import { adapterOff } from '../adapter-off.js';
import { problemText, type Problem } from '../problem.js';
import { SettledProblem } from '../settled-problem.js';
import { openedOn } from '../opened-on.js';
import { ListenedRadio } from '../listened-radio.js';
import { NobleLink } from './link.js';
import type { Noble, NoblePeripheral } from './internals.js';
import {
  adapterIsUp,
  findPeripheral,
  forgetPeripheral,
  loadNoble,
  onReport,
  peripheralCount,
  startNoble,
  strengthOf,
  type Report,
  type Warn,
} from './noble.js';
import { Scan } from './scan.js';
import type { Transport } from './transport.js';

/** How many attempts are made while the controller reports 0x3E: the device missed the request, and may receive the next. */
const ESTABLISHMENT_ATTEMPTS = 3;

export interface NobleRadioOptions {
  readonly transport: Transport;
  readonly limits: BleLimits;
  readonly time: TimeSource;
  readonly memory: Memory;
  readonly warn: Warn;
  /** Why the adapter is off; `refusal`: the error with which it could not be opened again, if any. */
  readonly explain: (state: AdapterState, refusal: unknown) => Problem;
}

/** The radio on noble: one noble for as long as the adapter is on, a new one when it comes back. */
export class NobleRadio extends ListenedRadio implements Radio {
  private noble: Noble | undefined;
  private closing: Promise<void> | undefined;
  private readonly reportListeners = new Listeners<Report>();
  private readonly links = new Map<Address, NobleLink>();
  private readonly connects: ConnectQueue<NobleLink>;
  private contended = false;
  /** Aborted when the adapter is gone. */
  private adapterGone = new AbortController();
  private readonly advertisements: AdvertisementCache;
  private readonly scan: Scan;
  private readonly reason: SettledProblem;
  private refusal: unknown;

  constructor(private readonly options: NobleRadioOptions) {
    super();
    const { time, memory, transport, limits, warn, explain } = options;
    this.advertisements = new AdvertisementCache(time, memory, (address) => this.forget(address));
    this.scan = new Scan(time);
    this.connects = new ConnectQueue({
      time,
      limit: limits.connect,
      advertisements: this.advertisements,
      attempt: (address, stop) => this.attempt(address, stop),
      discard: (link) => link.disconnect(),
      contended: (contended) => {
        this.contended = contended;
        this.updateScan();
      },
    });
    this.reason = new SettledProblem({
      time,
      read: () =>
        this.state === 'unknown' || this.state === 'poweredOn'
          ? undefined
          : explain(this.state, this.refusal),
      settled: (problem) => problem && warn(problemText(problem), this.refusal),
    });
    transport.on('refused', (error: Error) => this.refused(error));
    transport.on('opened', () => this.refused(undefined));
    transport.on('up', () => this.noble !== undefined && adapterIsUp(this.noble));
    transport.on('down', () => this.restart('poweredOff'));
  }

  /** @throws the error of a socket that cannot be opened. */
  start(): void {
    const { transport, warn } = this.options;
    const noble = loadNoble(transport.socket(), transport, warn);
    startNoble(noble);
    this.noble = noble;
    noble.on(
      'stateChange',
      isolated((state: AdapterState) => this.changeState(state)),
    );
    noble.on(
      'discover',
      isolated((peripheral: NoblePeripheral) => this.onDiscover(peripheral)),
    );
    onReport(noble, (report) => this.reportListeners.call(report));
  }

  get problem(): Problem | undefined {
    return this.reason.value;
  }

  /** The resources that the radio holds now; all but `advertisements` and `peripherals` are 0 when it is idle. */
  get counts(): { links: number; listeners: number; advertisements: number; peripherals: number } {
    return {
      links: this.links.size,
      listeners: this.listeners.size + this.stateListeners.size,
      advertisements: this.advertisements.size,
      peripherals: this.noble === undefined ? 0 : peripheralCount(this.noble),
    };
  }

  /** Like `observe`, with the received bytes. */
  observeReports(listener: (report: Report) => void): Unsubscribe {
    return this.reportListeners.add(listener);
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.advertisements.get(address);
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, NobleLink> {
    return pipe(
      this.establish(address, (link) => link.discover(profile), signal),
      TE.map(({ link }) => link),
    );
  }

  /** Makes a link and calls `discover` on it; does so again if the device missed the first request. */
  establish<A>(
    address: Address,
    discover: (link: NobleLink) => TaskEither<BleError, A>,
    signal?: AbortSignal,
  ): TaskEither<BleError, { readonly link: NobleLink; readonly found: A }> {
    return async () => {
      // noble hangs if a device refuses its first request in an odd way: the device gets one more chance on a new link.
      let discoveries = 2;
      for (let attempt = 1; ; attempt++) {
        const connected = await this.enqueue(address, signal);
        if (E.isLeft(connected)) return connected;
        const link = connected.right;
        const discovered = await openedOn(link, signal, discover(link), ({ _tag }) => {
          // A device with new services advertises them after the link.
          if (_tag === 'GattFailed') this.advertisements.remove(address);
        })();
        if (E.isRight(discovered)) return E.right({ link, found: discovered.right });
        const cause = discovered.left;
        const missed = cause._tag === 'LinkLost' && cause.reason === Status.failedToEstablish;
        if (missed && attempt < ESTABLISHMENT_ATTEMPTS) continue;
        if (cause._tag === 'Timeout' && --discoveries > 0) continue;
        return E.left(missed ? connectRefused(address, Status.failedToEstablish) : cause);
      }
    };
  }

  readonly close: Task<void> = () => (this.closing ??= this.shutDown());

  private async shutDown(): Promise<void> {
    this.closed = true;
    this.reason.end();
    this.updateScan();
    await this.connects.end((address) => ({ _tag: 'Closed', address }));
    await Promise.all([...this.links.values()].map((link) => link.disconnect()));
    this.scan.use(undefined);
    this.advertisements.close();
    this.noble?.removeAllListeners();
    this.noble = undefined;
    this.options.transport.close();
  }

  protected override changeState(state: AdapterState): void {
    if (this.closed || state === this.state) return;
    this.scan.use(state === 'poweredOn' ? this.noble : undefined);
    super.changeState(state);
  }

  protected override stateChanged(): void {
    this.reason.update();
  }

  private refused(refusal: Error | undefined): void {
    this.refusal = refusal;
    this.reason.update();
  }

  /** Ends all links, and starts a new noble, which waits for the adapter: noble does not survive its loss. */
  private restart(state: AdapterState): void {
    if (this.closed) return;
    this.noble?.removeAllListeners();
    this.noble = undefined;
    this.changeState(state);
    this.advertisements.clear();
    // First, so that nothing is cancelled at an adapter that is gone.
    this.adapterGone.abort();
    this.adapterGone = new AbortController();
    detached(this.connects.end(() => adapterOff(this)));
    for (const link of [...this.links.values()]) link.adapterGone(adapterOff(this));
    this.links.clear();
    try {
      this.start();
    } catch (error) {
      this.options.warn('the adapter cannot be opened again', error);
    }
  }

  private onDiscover(peripheral: NoblePeripheral): void {
    const { advertisement: advertised, rssi, connectable } = peripheral;
    const advertisement: Advertisement = {
      address: peripheral.address.toUpperCase(),
      name: advertised.localName?.replace(/\0+$/, '') ?? null,
      rssi: strengthOf(rssi),
      heardAt: this.options.time.date(),
      connectable,
      manufacturerData: advertised.manufacturerData ?? null,
      // noble continues to write into its arrays.
      serviceUuids: [...(advertised.serviceUuids ?? [])],
      serviceData: [...(advertised.serviceData ?? [])],
    };
    this.scan.packetReceived();
    this.advertisements.add(advertisement);
    this.connects.advertised(advertisement.address);
    this.hear(advertisement);
  }

  private forget(address: Address): void {
    const used = this.links.has(address) || this.connects.has(address);
    if (this.noble !== undefined && !used) forgetPeripheral(this.noble, address);
  }

  /** Scans while anybody listens, and while requests wait: devices that advertise are connected first. */
  protected updateScan(): void {
    this.scan.enable(!this.closed && (this.contended || this.listeners.size > 0));
  }

  /** Connects a device when its turn has come; `signal` aborts the request. */
  private async enqueue(address: Address, signal?: AbortSignal): Promise<E.Either<BleError, NobleLink>> {
    const ready = this.ready(address);
    if (E.isLeft(ready)) return ready;
    const outcome = await this.connects.connect(address, signal);
    if (E.isLeft(outcome) && outcome.left._tag === 'Timeout') this.advertisements.remove(address);
    if (this.advertisements.get(address) === undefined) this.forget(address);
    return outcome;
  }

  private async attempt(address: Address, stop: AbortSignal): Promise<E.Either<BleError, NobleLink>> {
    await this.links.get(address)?.disconnect();
    return attemptConnect({
      address,
      stop,
      scan: this.scan,
      time: this.options.time,
      ready: () => this.ready(address),
      linked: (peripheral) => this.adopt(peripheral),
    });
  }

  /** Whether a device can be connected: Left `Closed`, `AdapterOff` or `NotFound`. */
  private ready(address: Address): E.Either<BleError, ReadyAdapter> {
    const { noble, state } = this;
    if (this.closed) return E.left({ _tag: 'Closed', address });
    if (noble === undefined || state !== 'poweredOn') return E.left(adapterOff(this));
    const peripheral = findPeripheral(noble, address);
    return peripheral === undefined
      ? E.left({ _tag: 'NotFound', address })
      : E.right({ noble, peripheral, adapterGone: this.adapterGone.signal });
  }

  private adopt(peripheral: NoblePeripheral): NobleLink {
    const { limits, time } = this.options;
    const link = new NobleLink(peripheral, limits, time);
    this.links.set(link.address, link);
    link.onEnd((cause) => {
      // Another attempt at a device that is gone would only delay others; a link that was not established shows that it is in range.
      if (cause._tag === 'LinkLost' && cause.reason !== Status.failedToEstablish)
        this.advertisements.remove(link.address);
      detached(
        link.disconnect().then(() => {
          if (this.links.get(link.address) === link) this.links.delete(link.address);
          if (this.advertisements.get(link.address) === undefined) this.forget(link.address);
        }),
      );
    });
    return link;
  }
}
