/** The links of a proxy, which makes one at a time. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import {
  addressText,
  DeviceRequestType,
  Feature,
  type AnyMessage,
  type ApiConnection,
  type GattService,
} from '../../protocols/esphome/index.js';
import { connectFailed, connectRefused, ConnectQueue } from '../connect-queue.js';
import { Status } from '../hci/status.js';
import { openedOn } from '../opened-on.js';
import type { Address, BleError, BleLimits, GattProfile } from '../ports.js';
import type { Hearing } from './hearing.js';
import { EsphomeLink } from './link.js';
import { LinkRequests, type LinkState } from './link-requests.js';
import { CachedServices } from './services.js';

/** How long a proxy may take to end all links and attempts when the server closes, ms. */
const CLOSE_LIMIT = 1_000;

/** The errors with which a proxy refuses a connection because all its slots are in use; ESPHome sends 0. */
export const FULL: readonly number[] = [0, Status.connectionLimitExceeded];

/** The links that a proxy has room for. */
export interface ProxySlots {
  readonly free: number;
  readonly limit: number;
}

export interface ProxyLinksOptions {
  /** The name of the proxy, such as `kitchen.local:6053`. */
  readonly name: string;
  readonly time: TimeSource;
  readonly limits: BleLimits;
  readonly hearing: Hearing;
  /** Undefined while the proxy is not connected. */
  readonly connection: () => ApiConnection | undefined;
  /** Whether the proxy has a `Feature`. */
  readonly has: (feature: number) => boolean;
  /** The failure of an attempt to connect through a proxy that is gone. */
  readonly off: () => BleError;
  /** Undefined until the proxy has reported its slots. */
  readonly slots: () => ProxySlots | undefined;
}

export class ProxyLinks {
  private readonly links = new Map<Address, EsphomeLink>();
  private readonly attempts = new Set<Address>();
  private readonly services: CachedServices;
  private readonly requests: LinkRequests;
  private readonly connects: ConnectQueue<EsphomeLink>;
  private isClosed = false;

  constructor(private readonly options: ProxyLinksOptions) {
    const { time, limits, hearing, connection, has } = options;
    this.requests = new LinkRequests(time, connection, (address) => hearing.addressType(address));
    this.services = new CachedServices((address) => {
      if (has(Feature.cacheClearing)) this.requests.send(address, DeviceRequestType.clearCache);
    });
    this.connects = new ConnectQueue({
      ...{ time, limit: limits.connect, advertisements: hearing.cache },
      attempt: (address, stop) => {
        this.attempts.add(address);
        return this.attempt(address, stop).finally(() => this.attempts.delete(address));
      },
      discard: (link) => link.disconnect(),
      contended: () => undefined,
    });
  }

  /** Asks a question on each link, which only the subscriber gets an answer to; false: there is no link. */
  ask(): boolean {
    for (const link of this.links.values()) link.ask();
    return this.links.size > 0;
  }

  /** Makes a link when its turn has come. Left `LinkLimit`: there is no free slot. */
  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, EsphomeLink> {
    return async () => {
      const { hearing } = this.options;
      if (hearing.cache.get(address) === undefined) return E.left({ _tag: 'NotFound', address });
      if (this.isFull) return E.left(this.noRoom(address));
      await this.links.get(address)?.disconnect();
      this.services.check(address, profile);
      const made = await this.make(address, profile, signal);
      if (made !== 'stale') return made;
      const again = await this.make(address, profile, signal);
      return again === 'stale'
        ? E.left({
            _tag: 'GattFailed',
            address,
            operation: 'discovery',
            reason: 'the proxy finds no services',
          })
        : again;
    };
  }

  /** `stale`: the proxy still had the link of an earlier client, on which it finds no services, and has ended it. */
  private async make(
    address: Address,
    profile: readonly GattProfile[],
    signal: AbortSignal | undefined,
  ): Promise<E.Either<BleError, EsphomeLink> | 'stale'> {
    const { hearing } = this.options;
    const connected = await this.connects.connect(address, signal);
    if (E.isLeft(connected)) {
      // Another attempt at a device that is gone would only delay others.
      if (connected.left._tag === 'Timeout') hearing.cache.remove(address);
      return connected;
    }
    const link = connected.right;
    const discovered = await openedOn(link, signal, link.discover(profile), ({ _tag }) => {
      // A device with new services advertises them after the link.
      if (_tag === 'GattFailed' && !link.offersNothing) hearing.cache.remove(address);
    })();
    if (E.isRight(discovered)) return E.right(link);
    return link.offersNothing ? 'stale' : discovered;
  }

  /** Gives attempts at a device that has advertised the first turn. */
  advertised(address: Address): void {
    this.connects.advertised(address);
  }

  /** Passes a message to the link of its device. */
  receive(message: AnyMessage): void {
    if ('address' in message.message) this.links.get(addressText(message.message.address))?.receive(message);
  }

  /** Takes the state of a link from the proxy. */
  changed(state: LinkState): void {
    if (this.requests.answer(state)) return;
    const address = addressText(state.address);
    if (state.connected) {
      this.endUnused(address);
      return;
    }
    const reason = state.error > 0 ? state.error : null;
    this.links.get(address)?.lost({ _tag: 'LinkLost', address, reason });
  }

  /** Ends a link that an earlier client has left, or that was made after its attempt was given up: it would keep its slot. */
  endUnused(address: Address): void {
    if (!this.links.has(address) && !this.attempts.has(address)) this.requests.drop(address);
  }

  /** Ends all links and attempts of a proxy that is gone. */
  lost(): void {
    this.requests.end();
    detached(this.connects.end(this.options.off));
    this.unheard();
  }

  /** Ends the links of a proxy from which nothing comes; it is not asked to end them, since another client may use the devices. */
  unheard(): void {
    for (const [address, link] of [...this.links]) link.lost({ _tag: 'LinkLost', address, reason: null });
  }

  /** Resolves when all links and attempts have ended or the limit is reached: the proxy ends links with its connection. */
  async close(): Promise<void> {
    this.isClosed = true;
    const cancel = this.options.time.after(CLOSE_LIMIT, () => this.requests.end());
    await Promise.all([
      this.connects.end((address) => ({ _tag: 'Closed', address })),
      ...[...this.links.values()].map((link) => link.disconnect()),
    ]);
    cancel();
  }

  private async attempt(address: Address, stop: AbortSignal): Promise<E.Either<BleError, EsphomeLink>> {
    const isStopped = (): boolean => stop.aborted || this.isClosed;
    const stopped = E.left<BleError>({ _tag: 'Closed', address });
    if (isStopped()) return stopped;
    if (this.isFull) return E.left(this.noRoom(address));
    const cached = this.options.has(Feature.remoteCaching) ? this.services.get(address) : undefined;
    const outcome = await this.requests.connect(address, cached !== undefined, stop, (answer) =>
      answer.connected && !isStopped() ? this.adopt(address, answer.mtu, cached) : answer,
    );
    if (outcome === undefined) return E.left(this.options.off());
    if (outcome instanceof EsphomeLink) return E.right(outcome);
    if (outcome.connected) {
      // The proxy made the link before it received the request to stop, and will end it.
      await this.requests.disconnect(address);
      return stopped;
    }
    const { error } = outcome;
    return E.left(
      FULL.includes(error)
        ? this.noRoom(address, error)
        : error > 0 && error <= 0xff
          ? connectRefused(address, error)
          : connectFailed(address, `the proxy reports error ${error}`),
    );
  }

  private get isFull(): boolean {
    return this.options.slots()?.free === 0;
  }

  /** `full`: such as `kitchen.local:6053: 3 of 3 in use`; the proxy may refuse a link before it reports its last slot as used. */
  private noRoom(address: Address, error = 0): BleError {
    const { name, slots } = this.options;
    // 0: other clients use all slots.
    const limit = slots()?.limit ?? 0;
    const used = limit === 0 ? 'all in use' : `${limit} of ${limit} in use`;
    const reason = error === Status.connectionLimitExceeded ? 'its adapter takes no other link' : used;
    return { _tag: 'LinkLimit', address, full: `${name}: ${reason}` };
  }

  private adopt(address: Address, mtu: number, cached: readonly GattService[] | undefined): EsphomeLink {
    const { limits, time, hearing } = this.options;
    const connection = this.options.connection();
    const link = new EsphomeLink(
      address,
      mtu === 0 ? null : mtu,
      {
        send: (name, message) => connection?.send(name, message),
        refuse: (reason) => connection?.refuse(reason),
        disconnect: () => this.requests.disconnect(address),
        services: this.services,
        cached,
      },
      limits,
      time,
    );
    this.links.set(address, link);
    link.onEnd((cause) => {
      // Another attempt at a device that is gone would only delay others; a link that was not established shows that it is in range.
      if (cause._tag === 'LinkLost' && cause.reason !== Status.failedToEstablish)
        hearing.cache.remove(address);
      detached(
        link.disconnect().then(() => {
          if (this.links.get(address) === link) this.links.delete(address);
        }),
      );
    });
    return link;
  }
}
