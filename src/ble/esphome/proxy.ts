/** One proxy: what it hears, and the links that it makes. */
import * as E from 'fp-ts/lib/Either.js';
import type { TimeSource } from '../../async/time.js';
import { settled } from '../../async/wait.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  dispatch,
  RAW_ADVERTISEMENTS,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type MessageOf,
  type RawAdvertisement,
  type Receivers,
} from '../../esphome/index.js';
import { AdvertisementCache, type Memory } from '../advertisement-cache.js';
import { connectFailed, connectRefused, ConnectQueue } from '../connect-queue.js';
import { Status } from '../hci/status.js';
import type { Address, Advertisement, BleError, BleLimits } from '../ports.js';
import { ApiClient, describeProxy, type ProxyAddress } from './api-client.js';
import { contentsOf } from './advertisement.js';
import { EsphomeLink } from './link.js';

/** How long a proxy may take to end a link or an attempt, ms. */
const DISCONNECT_LIMIT = 5_000;

/** What ESP-IDF reports where there is no measurement, dBm. */
const UNKNOWN_RSSI = -127;

export interface ProxyOptions extends ProxyAddress {
  readonly time: TimeSource;
  readonly limits: BleLimits;
  readonly memory: Memory;
  /** Called for every packet; `rssi` is that of this proxy. */
  readonly advertised: (advertisement: Advertisement) => void;
  /** `isUp` has become another. */
  readonly changed: () => void;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
}

export class EsphomeProxy {
  readonly advertisements: AdvertisementCache;
  private readonly addressTypes = new Map<Address, number>();
  private readonly links = new Map<Address, EsphomeLink>();
  /** Those who wait for the answer to a request that concerns a link. */
  private readonly waiting = new Map<
    Address,
    (answer: MessageOf<'DeviceConnectionResponse'> | undefined) => void
  >();
  private readonly connects: ConnectQueue<EsphomeLink>;
  private readonly client: ApiClient;
  private connection: ApiConnection | undefined;
  private scannerFailed = false;
  private slots: { readonly free: number; readonly limit: number } | undefined;
  /** Why it cannot be used; undefined while it can. */
  problem: string | undefined = 'it has not answered yet';

  constructor(private readonly options: ProxyOptions) {
    const { time, memory, limits } = options;
    this.advertisements = new AdvertisementCache(
      time,
      memory,
      (address) => void this.addressTypes.delete(address),
    );
    this.connects = new ConnectQueue({
      ...{ time, limit: limits.connect, advertisements: this.advertisements },
      attempt: (address, stop) => this.attempt(address, stop),
      discard: (link) => link.disconnect(),
      contended: () => undefined,
    });
    this.client = new ApiClient({
      ...options,
      up: (connection, name) => this.up(connection, name),
      message: (message) => this.receive(message),
      down: (reason) => this.down(reason),
    });
  }

  start(): void {
    this.client.start();
  }

  get name(): string {
    return describeProxy(this.options);
  }

  get isUp(): boolean {
    return this.connection !== undefined && !this.scannerFailed;
  }

  get isFull(): boolean {
    return this.slots?.free === 0;
  }

  /** `kitchen.local:6053: 3 of 3 in use`. */
  get usage(): string {
    const { free = 0, limit = 0 } = this.slots ?? {};
    return `${this.name}: ${limit - free} of ${limit} in use`;
  }

  /** Signal of a device at this proxy, dBm; undefined: it is not heard there. */
  signalOf(address: Address): number | undefined {
    const advertisement = this.isUp ? this.advertisements.get(address) : undefined;
    return advertisement === undefined ? undefined : (advertisement.rssi ?? UNKNOWN_RSSI);
  }

  /** Makes a link when its turn has come. Left `AdapterOff`: the proxy is gone; `LinkLimit`: it has no free slot. */
  connect(address: Address, signal?: AbortSignal): Promise<E.Either<BleError, EsphomeLink>> {
    return this.connects.connect(address, signal);
  }

  /** Ends the link to a device, if there is one. */
  async release(address: Address): Promise<void> {
    await this.links.get(address)?.disconnect();
  }

  async close(): Promise<void> {
    await this.connects.end((address) => ({ _tag: 'Closed', address }));
    await Promise.all([...this.links.values()].map((link) => link.disconnect()));
    await this.client.close();
    this.connection = undefined;
    this.advertisements.clear();
  }

  private up(connection: ApiConnection, name: string): void {
    this.connection = connection;
    this.problem = undefined;
    this.scannerFailed = false;
    connection.send('SubscribeConnectionsFreeRequest');
    connection.send('SubscribeAdvertisementsRequest', { flags: RAW_ADVERTISEMENTS });
    this.options.inform(`the proxy ${name} at ${this.name} is connected`);
    this.options.changed();
  }

  private down(reason: string): void {
    const isNew = this.problem !== reason;
    this.problem = reason;
    if (isNew) this.options.warn(`the proxy ${this.name} cannot be used: ${reason}`);
    if (this.connection === undefined) return;
    this.connection = undefined;
    this.slots = undefined;
    this.advertisements.clear();
    this.addressTypes.clear();
    for (const answer of [...this.waiting.values()]) answer(undefined);
    void this.connects.end(() => ({ _tag: 'AdapterOff', state: 'poweredOff' }));
    for (const [address, link] of [...this.links]) link.lost({ _tag: 'LinkLost', address, reason: null });
    this.options.changed();
  }

  private readonly receivers: Receivers = {
    RawAdvertisementsResponse: ({ advertisements }) =>
      advertisements.forEach((advertisement) => this.onAdvertisement(advertisement)),
    ConnectionsFreeResponse: (slots) => (this.slots = slots),
    ScannerStateResponse: ({ state }) => {
      const before = this.isUp;
      this.scannerFailed = state === ScannerState.failed;
      if (this.isUp !== before) this.options.changed();
    },
    DeviceConnectionResponse: (state) => this.onLinkState(state),
  };

  private receive(message: AnyMessage): void {
    if (dispatch(this.receivers, message) || !('address' in message.message)) return;
    this.links.get(addressText(message.message.address))?.receive(message);
  }

  private onAdvertisement({ address: number, rssi, addressType, data }: RawAdvertisement): void {
    const address = addressText(number);
    const before = this.advertisements.get(address);
    this.addressTypes.set(address, addressType);
    const advertisement: Advertisement = {
      ...contentsOf(Buffer.from(data), before),
      ...{ address, rssi: rssi === UNKNOWN_RSSI ? null : rssi, connectable: true },
      heardAt: this.options.time.date(),
    };
    this.advertisements.add(advertisement);
    this.connects.advertised(address);
    this.options.advertised(advertisement);
  }

  private onLinkState(state: MessageOf<'DeviceConnectionResponse'>): void {
    const address = addressText(state.address);
    const answer = this.waiting.get(address);
    if (answer !== undefined) answer(state);
    else if (!state.connected) {
      const reason = state.error > 0 ? state.error : null;
      this.links.get(address)?.lost({ _tag: 'LinkLost', address, reason });
    }
  }

  /** Asks for a link or its end; undefined: the proxy is gone, or does not answer within `ms`. */
  private ask(
    address: Address,
    requestType: number,
    ms: number | null,
    stop?: AbortSignal,
  ): Promise<MessageOf<'DeviceConnectionResponse'> | undefined> {
    const { connection, options } = this;
    if (connection === undefined) return Promise.resolve(undefined);
    const send = (type: number): void =>
      connection.send('DeviceRequest', {
        ...{ address: addressNumber(address), requestType: type },
        addressType: this.addressTypes.get(address) ?? 0,
      });
    return settled<MessageOf<'DeviceConnectionResponse'> | undefined>((settle) => {
      let cancel = ms === null ? () => undefined : options.time.after(ms, () => settle(undefined));
      const onStop = (): void => {
        send(DeviceRequestType.disconnect);
        cancel = options.time.after(DISCONNECT_LIMIT, () => settle(undefined));
      };
      stop?.addEventListener('abort', onStop, { once: true });
      this.waiting.set(address, settle);
      send(requestType);
      return () => {
        cancel();
        stop?.removeEventListener('abort', onStop);
        this.waiting.delete(address);
      };
    })();
  }

  private async attempt(address: Address, stop: AbortSignal): Promise<E.Either<BleError, EsphomeLink>> {
    if (stop.aborted) return E.left({ _tag: 'Closed', address });
    if (this.isFull) return E.left({ _tag: 'LinkLimit', address, proxies: this.usage });
    const answer = await this.ask(address, DeviceRequestType.connect, null, stop);
    if (answer === undefined) return E.left({ _tag: 'AdapterOff', state: 'poweredOff' });
    if (answer.connected) return E.right(this.adopt(address, answer.mtu));
    const { error } = answer;
    return E.left(
      error === 0 || error === Status.connectionLimitExceeded
        ? { _tag: 'LinkLimit', address, proxies: this.usage }
        : error > 0 && error <= 0xff
          ? connectRefused(address, error)
          : connectFailed(address, `the proxy reports error ${error}`),
    );
  }

  private adopt(address: Address, mtu: number): EsphomeLink {
    const { limits, time } = this.options;
    const { connection } = this;
    const link = new EsphomeLink(
      address,
      mtu === 0 ? null : mtu,
      {
        send: (name, message) => connection?.send(name, message),
        disconnect: async () => {
          await this.ask(address, DeviceRequestType.disconnect, DISCONNECT_LIMIT);
        },
      },
      limits,
      time,
    );
    this.links.set(address, link);
    link.onEnd((cause) => {
      // An attempt at a device that is gone would only keep others waiting; one that was not established is there.
      if (cause._tag === 'LinkLost' && cause.reason !== Status.failedToEstablish)
        this.advertisements.remove(address);
      void link.disconnect().then(() => {
        if (this.links.get(address) === link) this.links.delete(address);
      });
    });
    return link;
  }
}
