/** The radio on proxies, and on an adapter beside them. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { TimeSource } from '../../async/time.js';
import { wait } from '../../async/wait.js';
import { DEFAULT_MEMORY, type Memory } from '../advertisement-cache.js';
import { CombinedRadio, type Part } from '../combined-radio.js';
import type { AdapterState, BleError, BleLimits } from '../ports.js';
import { ANSWER_MS, problemText, type ProxyAddress } from './api-client.js';
import { EsphomeProxy } from './proxy.js';

export interface ProxyRadioOptions {
  readonly proxies: readonly ProxyAddress[];
  /** An adapter that is used like the proxies. */
  readonly beside?: Part;
  readonly limits: BleLimits;
  readonly time: TimeSource;
  readonly memory?: Memory;
  readonly inform: (message: string) => void;
  readonly warn: (message: string) => void;
}

/**
 * Connects proxies, and waits until one of them answers or an adapter is beside them; the others may come later.
 * Left `AdapterUnavailable`: none did in time, with the reason of each.
 */
export const openProxyRadio =
  ({
    proxies: addresses,
    beside,
    memory = DEFAULT_MEMORY,
    ...options
  }: ProxyRadioOptions): TaskEither<BleError, CombinedRadio> =>
  async () => {
    const proxies = addresses.map((address) => new EsphomeProxy({ ...options, ...address, memory }));
    const radio = new CombinedRadio(
      [
        ...(beside === undefined ? [] : [beside]),
        ...proxies.map((proxy): Part => ({
          ...{ name: proxy.name, radio: proxy },
          problem: () => (proxy.problem === undefined ? undefined : problemText(proxy.problem)),
          slots: () => proxy.slots,
        })),
      ],
      options.inform,
    );
    const up = wait<AdapterState>({ time: options.time, ms: ANSWER_MS }, (settle) =>
      radio.onState((state) => {
        if (state === 'poweredOn') settle(state);
      }),
    )();
    for (const proxy of proxies) proxy.start();
    if (radio.state === 'poweredOn' || E.isRight(await up)) return E.right(radio);
    const problems = radio.parts.map(({ name, problem }) => `${name}: ${problem ?? ''}`);
    await radio.close();
    return E.left({ _tag: 'AdapterUnavailable', reason: `no proxy can be used: ${problems.join('; ')}` });
  };
