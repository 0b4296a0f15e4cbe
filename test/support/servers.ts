/** Servers on free ports of loopback, with default limits unless a test sets others. */
import { join } from 'node:path';
import { DEFAULT_LIMITS as CLOCK_LIMITS, type ClockConfig } from '../../src/clock/config.js';
import { startClockServer, type ClockServerOptions } from '../../src/clock/server.js';
import { DEFAULT_LIMITS as DICE_LIMITS, type DiceConfig } from '../../src/dice/config.js';
import { startDiceServer, type DiceServerOptions } from '../../src/dice/server.js';
import type { DeviceServer } from '../../src/server/device-server.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { openStore, type Store } from '../../src/store/store.js';
import { right } from './either.js';
import { newFolder } from './folders.js';
import { silent } from './log.js';

/** Opens the store of a server in a folder, as the programs do. */
export const storeIn =
  (folder: string, name: string, time: TimeSource = systemTime) =>
  (migrations: readonly string[]): Store =>
    openStore({ path: join(folder, `${name}.sqlite`), migrations, time, log: silent });

const AT = { address: '127.0.0.1', port: 0, autoConnect: [] } as const;

/** Options of a server; only the radio is required. */
type Options<O extends { readonly config: object; readonly radio: unknown }> = Partial<
  Omit<O, 'config' | 'radio'>
> &
  Pick<O, 'radio'> & { readonly config?: Partial<O['config']> };

export const openDiceServer = async ({
  config,
  ...options
}: Options<DiceServerOptions>): Promise<DeviceServer> =>
  right(
    await startDiceServer({
      ...{ metrics: openMetrics('dice'), log: silent, time: systemTime, ...options },
      config: { ...AT, limits: DICE_LIMITS, historyDays: null, ...config } satisfies DiceConfig,
    })(),
  );

/** A clock server with its own data folder. */
export const openClockServer = async ({
  config,
  ...options
}: Options<ClockServerOptions>): Promise<DeviceServer> =>
  right(
    await startClockServer({
      ...{ metrics: openMetrics('clock'), log: silent, time: systemTime, ...options },
      config: {
        ...AT,
        dataFolder: newFolder(),
        limits: CLOCK_LIMITS,
        historyDays: null,
        ...config,
      } satisfies ClockConfig,
    })(),
  );
