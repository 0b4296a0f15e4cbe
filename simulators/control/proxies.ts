/** The Bluetooth proxies of a world: those of its start, and those that the control API adds. */
import type { Duplex } from 'node:stream';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { parseError } from '../../src/codecs/index.js';
import { USUAL_SLOTS } from '../../src/contract/proxies.js';
import { nthAddress } from '../ble/device-address.js';
import type { DeviceError } from '../devices/device-error.js';
import type { VirtualProxy } from '../proxy/virtual-proxy.js';
import type { Air, AttachOptions } from '../radio/index.js';
import type { ProxyReport } from './contract.js';
import type { ProxySpec } from './adapter-rows.js';

export interface ProxiesOptions {
  readonly air: Air;
  /** The address that they listen on. */
  readonly address: string;
  readonly adapters: {
    attach(stream: Duplex, options: AttachOptions): unknown;
    power(id: string, on: boolean): unknown;
  };
}

interface Held {
  readonly spec: ProxySpec;
  readonly proxy: VirtualProxy;
}

const failed = (reason: string): DeviceError => ({ _tag: 'ProxyFailed', reason });

/** Changes run one after another in the world that they belong to. */
export class Proxies {
  private readonly proxies = new Map<string, Held>();
  private atStart: readonly ProxySpec[] = [];

  constructor(private readonly options: ProxiesOptions) {}

  list(): readonly ProxyReport[] {
    return [...this.proxies.values()].map(({ proxy }) => proxy.report);
  }

  has(proxy: string): boolean {
    return this.proxies.has(proxy);
  }

  /** Adds the proxies of the start, which each reset restores. Left: one could not be started. */
  readonly populate = (specs: readonly ProxySpec[]): TE.TaskEither<DeviceError, void> => {
    this.atStart = specs;
    return this.reset;
  };

  /** Left: the name is taken, or it cannot listen. */
  add(spec: ProxySpec): TE.TaskEither<DeviceError, ProxyReport> {
    const called = spec.name ?? this.firstFree('name', (number) => `proxy-${number}`);
    if (this.has(called))
      return TE.left(parseError(`name must be a free one, got ${called}, which is a proxy`, 'name_taken'));
    const { air, adapters, address } = this.options;
    const mac = this.firstFree('mac', (number) => nthAddress('02:A1:B2', number));
    return pipe(
      TE.fromTask(() => import('../proxy/virtual-proxy.js')),
      TE.chain(({ VirtualProxy }) =>
        VirtualProxy.open({
          ...{ name: called, mac, address, port: spec.port ?? 0, slots: spec.slots ?? USUAL_SLOTS },
          subscriber: spec.subscriber ?? 'newest',
          key: spec.key === undefined ? undefined : Buffer.from(spec.key, 'base64'),
          attach: (stream) =>
            adapters.attach(stream, { name: called, address: mac, maxLinks: spec.slots ?? USUAL_SLOTS }),
          power: (on) => adapters.power(called, on),
        }),
      ),
      TE.bimap(failed, (proxy) => {
        this.proxies.set(called, { spec, proxy });
        air.proxies.add(proxy);
        return proxy.report;
      }),
    );
  }

  /** Left: no proxy has that name. */
  remove(called: string): TE.TaskEither<DeviceError, void> {
    return async () => {
      const held = this.proxies.get(called);
      if (held === undefined) return E.left({ _tag: 'UnknownProxy', name: called });
      const { proxy } = held;
      this.proxies.delete(called);
      this.options.air.proxies.delete(proxy);
      await proxy.close();
      return E.right(undefined);
    };
  }

  /** Restores the proxies of the start; those that are still there keep running. */
  readonly reset: TE.TaskEither<DeviceError, void> = async () => {
    for (const [called, { spec }] of [...this.proxies])
      if (!this.atStart.includes(spec)) await this.remove(called)();
    for (const spec of this.atStart) {
      const there = [...this.proxies.values()].find((one) => one.spec === spec);
      await there?.proxy.settled();
      const added = there === undefined ? await this.add(spec)() : E.right(undefined);
      if (E.isLeft(added)) return added;
    }
    return E.right(undefined);
  };

  readonly close = async (): Promise<void> => {
    for (const called of [...this.proxies.keys()]) await this.remove(called)();
  };

  private firstFree(of: 'name' | 'mac', nth: (number: number) => string): string {
    const taken = new Set(this.list().map((proxy) => proxy[of]));
    let number = 1;
    while (taken.has(nth(number))) number += 1;
    return nth(number);
  }
}
