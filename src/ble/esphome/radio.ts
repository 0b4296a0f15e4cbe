/** The radio on proxies: what any of them hears, and links through the one that hears a device best. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
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
import type { ProxyAddress } from './api-client.js';
import type { EsphomeLink } from './link.js';
import { EsphomeProxy } from './proxy.js';

/** How long proxies may take to answer at the start, ms. */
const OPEN_LIMIT = 10_000;

export interface ProxyRadioOptions {
  readonly proxies: readonly ProxyAddress[];
  readonly limits: BleLimits;
  readonly time: TimeSource;
  readonly memory?: Memory;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
}

export class ProxyRadio implements Radio {
  private adapter: AdapterState = 'unknown';
  private closed = false;
  private readonly proxies: readonly EsphomeProxy[];
  private readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly listeners = new Set<(advertisement: Advertisement) => void>();

  constructor(options: ProxyRadioOptions) {
    const { memory = DEFAULT_MEMORY } = options;
    this.proxies = options.proxies.map(
      (proxy) =>
        new EsphomeProxy({
          ...{ ...options, ...proxy, memory },
          advertised: (advertisement) => this.onAdvertisement(advertisement),
          changed: () => this.update(),
        }),
    );
  }

  start(): void {
    for (const proxy of this.proxies) proxy.start();
  }

  get state(): AdapterState {
    return this.adapter;
  }

  /** Proxies that cannot be used, each with its reason. */
  get problems(): readonly string[] {
    return this.proxies.flatMap(({ name, problem }) =>
      problem === undefined ? [] : [`${name}: ${problem}`],
    );
  }

  onState(listener: (state: AdapterState) => void): Unsubscribe {
    this.stateListeners.add(listener);
    return () => void this.stateListeners.delete(listener);
  }

  /** Proxies scan all the time, for every client. */
  listen(listener: (advertisement: Advertisement) => void): Unsubscribe {
    const entry = (advertisement: Advertisement): void => listener(advertisement);
    this.listeners.add(entry);
    return () => void this.listeners.delete(entry);
  }

  observe(listener: (advertisement: Advertisement) => void): Unsubscribe {
    return this.listen(listener);
  }

  lastAdvertisement(address: Address): Advertisement | undefined {
    const [best] = this.hearing(address);
    return best?.advertisements.get(address);
  }

  connect(
    address: Address,
    profile: readonly GattProfile[],
    signal?: AbortSignal,
  ): TaskEither<BleError, EsphomeLink> {
    return async () => {
      if (this.closed) return E.left({ _tag: 'Closed', address });
      if (this.adapter !== 'poweredOn') return E.left({ _tag: 'AdapterOff', state: this.adapter });
      await Promise.all(this.proxies.map((proxy) => proxy.release(address)));
      const connected = await this.reach(address, signal);
      if (E.isLeft(connected)) return connected;
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
    this.closed = true;
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    this.listeners.clear();
  };

  /** A link through the proxy with the best signal, or through the next if that one has no slot or cannot. */
  private async reach(address: Address, signal?: AbortSignal): Promise<E.Either<BleError, EsphomeLink>> {
    const tried = new Set<EsphomeProxy>();
    const full: string[] = [];
    let failure: BleError = { _tag: 'NotFound', address };
    for (;;) {
      const proxy = this.hearing(address).find((one) => !tried.has(one));
      if (proxy === undefined) break;
      tried.add(proxy);
      const connected = proxy.isFull
        ? E.left<BleError>({ _tag: 'LinkLimit', address })
        : await proxy.connect(address, signal);
      if (E.isRight(connected)) return connected;
      const { left } = connected;
      if (left._tag === 'Closed') return connected;
      if (left._tag === 'LinkLimit') full.push(proxy.usage);
      else failure = left;
      if (left._tag === 'Timeout') proxy.advertisements.remove(address);
    }
    // Room would have helped.
    if (full.length > 0 && (failure._tag === 'NotFound' || full.length === tried.size))
      failure = { _tag: 'LinkLimit', address, proxies: full.join(', ') };
    return E.left(failure);
  }

  /** Proxies that hear a device, the best signal first. */
  private hearing(address: Address): readonly EsphomeProxy[] {
    return this.proxies
      .flatMap((proxy) => {
        const signal = proxy.signalOf(address);
        return signal === undefined ? [] : [{ proxy, signal }];
      })
      .sort((a, b) => b.signal - a.signal)
      .map(({ proxy }) => proxy);
  }

  /** The signal of a device is that of the proxy that hears it best. */
  private onAdvertisement(advertisement: Advertisement): void {
    const rssi = this.lastAdvertisement(advertisement.address)?.rssi ?? advertisement.rssi;
    for (const listener of [...this.listeners]) listener({ ...advertisement, rssi });
  }

  private update(): void {
    const state = this.proxies.some(({ isUp }) => isUp) ? 'poweredOn' : 'poweredOff';
    if (this.closed || state === this.adapter) return;
    this.adapter = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }
}

/**
 * Connects proxies, and waits until one of them answers; the others may come later.
 * Left `AdapterUnavailable`: none did in time, with the reason of each.
 */
export const openProxyRadio =
  (options: ProxyRadioOptions): TaskEither<BleError, ProxyRadio> =>
  async () => {
    const radio = new ProxyRadio(options);
    const up = wait<AdapterState>({ time: options.time, ms: OPEN_LIMIT }, (settle) =>
      radio.onState(settle),
    )();
    radio.start();
    if (E.isRight(await up)) return E.right(radio);
    const reason = `no proxy can be used: ${radio.problems.join('; ')}`;
    await radio.close();
    return E.left({ _tag: 'AdapterUnavailable', reason });
  };
