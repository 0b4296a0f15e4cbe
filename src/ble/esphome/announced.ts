/** Proxies found on the network: each is added once it is connected, and replaced when its address changes. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import type { ProxyAddress } from './api-client.js';
import type { EsphomeProxy, ProxyLog } from './proxy.js';

/** From the end of a search to the next, ms. */
export const SEARCH_PAUSE_MS = 60_000;

export interface AnnouncedAddress extends ProxyAddress {
  /** Belongs to the device, and stays when its address changes. */
  readonly name: string;
}

/** Finds all devices that are announced now, or before `signal` aborts. Left: a message. */
export type Search = (signal?: AbortSignal) => TaskEither<string, readonly AnnouncedAddress[]>;

export interface AnnouncedOptions extends ProxyLog {
  readonly time: TimeSource;
  readonly search: Search;
  readonly open: (address: ProxyAddress, log: ProxyLog) => EsphomeProxy;
  /** Called with a proxy when it is connected for the first time. */
  readonly add: (proxy: EsphomeProxy) => void;
  /** Called with a proxy that is closed because the device has a new address. */
  readonly remove: (proxy: EsphomeProxy) => void;
}

export class AnnouncedProxies {
  /** Proxies by name, including proxies without an answer yet. */
  private readonly proxies = new Map<string, EsphomeProxy>();
  private readonly refusals = new Map<string, string>();
  private failure: string | undefined;
  private readonly closing = new AbortController();
  private cancel: Cancel = () => undefined;

  constructor(private readonly options: AnnouncedOptions) {}

  /** The reasons why devices that were found are not used, or why the search failed. */
  get problems(): readonly string[] {
    return [...(this.failure === undefined ? [] : [this.failure]), ...this.refusals.values()];
  }

  /** Searches now, and after each pause. */
  async start(): Promise<void> {
    const { search, time, warn } = this.options;
    const { signal } = this.closing;
    const result = await search(signal)();
    if (signal.aborted) return;
    const failure = E.isLeft(result) ? result.left : undefined;
    if (failure !== undefined && failure !== this.failure) warn(failure);
    this.failure = failure;
    if (E.isRight(result)) for (const address of result.right) this.consider(address);
    this.cancel = time.after(SEARCH_PAUSE_MS, () => detached(this.start()));
  }

  async close(): Promise<void> {
    this.closing.abort();
    this.cancel();
    await Promise.all([...this.proxies.values()].map((proxy) => proxy.close()));
  }

  private consider(address: AnnouncedAddress): void {
    const { name } = address;
    const before = this.proxies.get(name);
    if (before !== undefined) {
      if (before.state === 'poweredOn' || before.isAt(address)) return;
      this.options.remove(before);
      detached(before.close());
    }
    this.attempt(address);
  }

  /** Most devices of ESPHome are not proxies: one whose first attempt fails is ignored until the next search. */
  private attempt(address: AnnouncedAddress): void {
    const { name } = address;
    const { open, add, inform, warn } = this.options;
    let isUsed = false;
    const proxy = open(address, {
      inform,
      warn: (message) => {
        if (isUsed) {
          warn(message);
          return;
        }
        if (this.refusals.get(name) !== message) inform(message);
        this.refusals.set(name, message);
        this.proxies.delete(name);
        detached(proxy.close());
      },
    });
    this.proxies.set(name, proxy);
    const stop = proxy.onState((state) => {
      if (state !== 'poweredOn') return;
      stop();
      isUsed = true;
      this.refusals.delete(name);
      add(proxy);
    });
    proxy.start();
  }
}
