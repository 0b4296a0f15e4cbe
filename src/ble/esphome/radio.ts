/** The radio on proxies, and on adapters beside them. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { detached } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import { CombinedRadio, type Part } from '../combined-radio.js';
import type { AdapterState, BleError, BleLimits } from '../ports.js';
import { AnnouncedProxies, type Search } from './announced.js';
import { ANSWER_MS, type ProxyAddress } from './api-client.js';
import { EsphomeProxy, type ProxyLog } from './proxy.js';

export interface ProxyRadioOptions extends ProxyLog {
  readonly proxies: readonly ProxyAddress[];
  /** Finds further proxies. */
  readonly search?: Search;
  /** Adapters that are used like the proxies. */
  readonly beside?: readonly Part[];
  readonly limits: BleLimits;
  readonly time: TimeSource;
  readonly memory?: Memory;
}

const partOf = (proxy: EsphomeProxy): Part => ({
  ...{ name: proxy.name, radio: proxy },
  problem: () => proxy.ownProblem,
  slots: () => proxy.slots,
  hears: () => proxy.hears,
});

/**
 * Connects proxies, and waits until a proxy or an adapter is on; further proxies may come later.
 * Left `AdapterUnavailable`: no proxy answered in time, with the reason of each.
 */
export const openProxyRadio =
  ({
    proxies: addresses,
    search,
    beside = [],
    memory = DEFAULT_MEMORY,
    ...options
  }: ProxyRadioOptions): TaskEither<BleError, CombinedRadio> =>
  async () => {
    const open = (address: ProxyAddress, log: ProxyLog = options): EsphomeProxy =>
      new EsphomeProxy({ ...options, ...address, ...log, memory });
    const named = addresses.map((address) => open(address));
    const radio = new CombinedRadio([...beside, ...named.map(partOf)], options.inform, async () =>
      announced?.close(),
    );
    const announced =
      search &&
      new AnnouncedProxies({
        ...{ time: options.time, inform: options.inform, warn: options.warn, search, open },
        add: (proxy) => radio.add(partOf(proxy)),
        remove: (proxy) => radio.remove(proxy),
      });
    for (const proxy of named) proxy.start();
    detached(announced?.start());
    const up = wait<AdapterState>({ time: options.time, ms: ANSWER_MS }, (settle) =>
      radio.onState((state) => {
        if (state === 'poweredOn') settle(state);
      }),
    );
    if (radio.state === 'poweredOn' || E.isRight(await up())) return E.right(radio);
    const problems = [
      ...radio.parts.map(({ name, problem = '' }) => `${name}: ${problem}`),
      ...(announced?.problems ?? []),
    ];
    await radio.close();
    const reason = problems.length === 0 ? 'none is announced on this network by mDNS' : problems.join('; ');
    return E.left({ _tag: 'AdapterUnavailable', reason: `no proxy can be used: ${reason}` });
  };
