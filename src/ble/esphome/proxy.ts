/** A proxy as a radio. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../../async/time.js';
import {
  addressText,
  DeviceRequestType,
  dispatch,
  Feature,
  RAW_ADVERTISEMENTS,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type GattService,
  type Receivers,
} from '../../esphome/index.js';
import type { Memory } from '../advertisement-cache.js';
import { connectFailed, connectRefused, ConnectQueue } from '../connect-queue.js';
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
import { ApiClient, describeProxy, problemText, type Problem, type ProxyAddress } from './api-client.js';
import { Hearing } from './hearing.js';
import { EsphomeLink } from './link.js';
import { LinkRequests, type LinkState } from './link-requests.js';
import { KnownServices } from './services.js';

export interface ProxyOptions extends ProxyAddress {
  readonly time: TimeSource;
  readonly limits: BleLimits;
  readonly memory: Memory;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
}

export class EsphomeProxy implements Radio {
  private readonly hearing: Hearing;
  private readonly links = new Map<Address, EsphomeLink>();
  private readonly services: KnownServices;
  private readonly requests: LinkRequests;
  private readonly connects: ConnectQueue<EsphomeLink>;
  private readonly client: ApiClient;
  private connection: ApiConnection | undefined;
  /** Bits of `Feature`. */
  private features = 0;
  private scannerFailed = false;
  private adapter: AdapterState = 'unknown';
  private readonly stateListeners = new Set<(state: AdapterState) => void>();
  /** Its own name; '' until it is connected. */
  title = '';
  /** The links that it has room for; undefined until it says so. */
  slots: { readonly free: number; readonly limit: number } | undefined;
  /** Why it cannot be reached; undefined while it can. */
  private unreachable: Problem | undefined = { what: 'it has not answered yet' };

  constructor(private readonly options: ProxyOptions) {
    const { time, memory, limits } = options;
    this.hearing = new Hearing(time, memory);
    this.requests = new LinkRequests(
      time,
      () => this.connection,
      (address) => this.hearing.addressType(address),
    );
    this.services = new KnownServices(memory.devices, (address) => {
      if (this.has(Feature.cacheClearing)) this.requests.send(address, DeviceRequestType.clearCache);
    });
    this.connects = new ConnectQueue({
      ...{ time, limit: limits.connect, advertisements: this.hearing.cache },
      attempt: (address, stop) => this.attempt(address, stop),
      discard: (link) => link.disconnect(),
      contended: () => undefined,
    });
    this.client = new ApiClient({
      ...options,
      up: (connection, name, features) => this.up(connection, name, features),
      message: (message) => this.receive(message),
      down: (problem) => this.down(problem),
    });
  }

  start(): void {
    this.client.start();
  }

  get name(): string {
    return describeProxy(this.options);
  }

  get state(): AdapterState {
    return this.adapter;
  }

  /** Why it cannot be used; undefined while it can. */
  get problem(): Problem | undefined {
    return this.unreachable ?? (this.scannerFailed ? { what: 'it cannot scan' } : undefined);
  }

  onState(listener: (state: AdapterState) => void): Unsubscribe {
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }

  /** Proxies scan all the time, for every client. */
  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.hearing.listen(listener);
  }

  observe(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.listen(listener);
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    return this.hearing.cache.get(address);
  }

  /** Makes a link when its turn has come. Left `AdapterOff`: the proxy is gone; `LinkLimit`: it has no free slot. */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, EsphomeLink> {
    return async () => {
      if (this.adapter !== 'poweredOn') return E.left({ _tag: 'AdapterOff', state: this.adapter });
      if (this.lastAdvertisement(address) === undefined) return E.left({ _tag: 'NotFound', address });
      if (this.slots?.free === 0) return E.left(this.noRoom(address));
      await this.links.get(address)?.disconnect();
      this.services.check(address, profile);
      const connected = await this.connects.connect(address, signal);
      if (E.isLeft(connected)) {
        // An attempt at a device that is gone would only keep others waiting.
        if (connected.left._tag === 'Timeout') this.hearing.cache.remove(address);
        return connected;
      }
      const link = connected.right;
      const onAbort = (): void => void link.disconnect();
      signal?.addEventListener('abort', onAbort, { once: true });
      const discovered = await link.discover(profile)();
      signal?.removeEventListener('abort', onAbort);
      if (E.isRight(discovered)) return E.right(link);
      await link.disconnect();
      return discovered;
    };
  }

  readonly close: Task<void> = async () => {
    await this.connects.end((address) => ({ _tag: 'Closed', address }));
    await Promise.all([...this.links.values()].map((link) => link.disconnect()));
    await this.client.close();
    this.connection = undefined;
    this.hearing.clear();
  };

  private up(connection: ApiConnection, name: string, features: number): void {
    this.connection = connection;
    this.features = features;
    this.title = name;
    this.unreachable = undefined;
    this.scannerFailed = false;
    connection.send('SubscribeConnectionsFreeRequest');
    connection.send('SubscribeAdvertisementsRequest', { flags: RAW_ADVERTISEMENTS });
    this.options.inform(`the proxy ${name} at ${this.name} is connected`);
    this.update();
  }

  private down(problem: Problem): void {
    const isNew = this.unreachable?.what !== problem.what;
    this.unreachable = problem;
    if (isNew) this.options.warn(`the proxy ${this.name} cannot be used: ${problemText(problem)}`);
    if (this.connection === undefined) return;
    this.connection = undefined;
    this.slots = undefined;
    this.hearing.clear();
    this.requests.end();
    void this.connects.end(() => ({ _tag: 'AdapterOff', state: 'poweredOff' }));
    for (const [address, link] of [...this.links]) link.lost({ _tag: 'LinkLost', address, reason: null });
    this.update();
  }

  private readonly receivers: Receivers = {
    RawAdvertisementsResponse: ({ advertisements }) =>
      advertisements.forEach((advertisement) => this.connects.advertised(this.hearing.add(advertisement))),
    ConnectionsFreeResponse: ({ free, limit }) => (this.slots = { free, limit }),
    ScannerStateResponse: ({ state }) => {
      this.scannerFailed = state === ScannerState.failed;
      this.update();
    },
    DeviceConnectionResponse: (state) => this.onLinkState(state),
    ClearCacheResponse: () => undefined,
  };

  private receive(message: AnyMessage): void {
    if (dispatch(this.receivers, message) || !('address' in message.message)) return;
    this.links.get(addressText(message.message.address))?.receive(message);
  }

  private onLinkState(state: LinkState): void {
    if (this.requests.answer(state) || state.connected) return;
    const address = addressText(state.address);
    const reason = state.error > 0 ? state.error : null;
    this.links.get(address)?.lost({ _tag: 'LinkLost', address, reason });
  }

  private async attempt(address: Address, stop: AbortSignal): Promise<E.Either<BleError, EsphomeLink>> {
    if (stop.aborted) return E.left({ _tag: 'Closed', address });
    if (this.slots?.free === 0) return E.left(this.noRoom(address));
    const known = this.has(Feature.remoteCaching) ? this.services.get(address) : undefined;
    const answer = await this.requests.connect(address, known !== undefined, stop);
    if (answer === undefined) return E.left({ _tag: 'AdapterOff', state: 'poweredOff' });
    if (answer.connected) return E.right(this.adopt(address, answer.mtu, known));
    const { error } = answer;
    return E.left(
      error === 0 || error === Status.connectionLimitExceeded
        ? this.noRoom(address)
        : error > 0 && error <= 0xff
          ? connectRefused(address, error)
          : connectFailed(address, `the proxy reports error ${error}`),
    );
  }

  /** With `kitchen.local:6053: 3 of 3 in use`. */
  private noRoom(address: Address): BleError {
    const { free = 0, limit = 0 } = this.slots ?? {};
    return { _tag: 'LinkLimit', address, full: `${this.name}: ${limit - free} of ${limit} in use` };
  }

  private adopt(address: Address, mtu: number, known: readonly GattService[] | undefined): EsphomeLink {
    const { limits, time } = this.options;
    const { connection } = this;
    const link = new EsphomeLink(
      address,
      mtu === 0 ? null : mtu,
      {
        send: (name, message) => connection?.send(name, message),
        disconnect: () => this.requests.disconnect(address),
        services: this.services,
        known,
      },
      limits,
      time,
    );
    this.links.set(address, link);
    link.onEnd((cause) => {
      // An attempt at a device that is gone would only keep others waiting; one that was not established is there.
      if (cause._tag === 'LinkLost' && cause.reason !== Status.failedToEstablish)
        this.hearing.cache.remove(address);
      void link.disconnect().then(() => {
        if (this.links.get(address) === link) this.links.delete(address);
      });
    });
    return link;
  }

  private has(feature: number): boolean {
    return (this.features & feature) !== 0;
  }

  private update(): void {
    const state = this.connection !== undefined && !this.scannerFailed ? 'poweredOn' : 'poweredOff';
    if (state === this.adapter) return;
    this.adapter = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }
}
