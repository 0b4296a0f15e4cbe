/** Servers on free ports of loopback, each with its usual limits unless a test says otherwise. */
import { DEFAULT_LIMITS as CLOCK_LIMITS, type ClockConfig } from '../../src/clock/config.js';
import { startClockServer, type ClockServerOptions } from '../../src/clock/server.js';
import { DEFAULT_LIMITS as DICE_LIMITS, type DiceConfig } from '../../src/dice/config.js';
import { startDiceServer, type DiceServerOptions } from '../../src/dice/server.js';
import type { DeviceServer } from '../../src/server/device-server.js';
import { systemTime } from '../../src/async/time.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { right } from './either.js';
import { newFolder } from './folders.js';
import { silent } from './log.js';

const AT = { address: '127.0.0.1', port: 0, autoConnect: [] } as const;

/** All but the radio may be left out. */
type Given<O extends { readonly config: object; readonly radio: unknown }> = Partial<
  Omit<O, 'config' | 'radio'>
> &
  Pick<O, 'radio'> & { readonly config?: Partial<O['config']> };

export const openDiceServer = async ({
  config,
  ...options
}: Given<DiceServerOptions>): Promise<DeviceServer> =>
  right(
    await startDiceServer({
      ...{ metrics: openMetrics('dice'), log: silent, time: systemTime, ...options },
      config: { ...AT, limits: DICE_LIMITS, ...config } satisfies DiceConfig,
    })(),
  );

/** With a data folder of its own. */
export const openClockServer = async ({
  config,
  ...options
}: Given<ClockServerOptions>): Promise<DeviceServer> =>
  right(
    await startClockServer({
      ...{ metrics: openMetrics('clock'), log: silent, time: systemTime, ...options },
      config: { ...AT, dataFolder: newFolder(), limits: CLOCK_LIMITS, ...config } satisfies ClockConfig,
    })(),
  );
