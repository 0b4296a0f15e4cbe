import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import { CLOCK_NAME } from '../../src/clock/protocol/index.js';
import { decode } from '../../src/http/index.js';
import type { DeviceKind } from '../device.js';
import { StartBody } from './codecs.js';
import { startOf } from './start.js';
import { VirtualClock } from './virtual-clock.js';

/** Qingping CGD1. */
export const clock: DeviceKind = {
  addressPrefix: '58:2D:34',
  addressType: 'public',
  prepare: (given) =>
    pipe(
      E.Do,
      E.bind('body', () => pipe(given, decode(StartBody, 'the clock'))),
      E.bind('start', ({ body }) => startOf(body)),
      E.map(({ body, start }) => (surroundings) => {
        const form = {
          header: parseInt(body.advertised_header ?? '08', 16),
          batteryFlag: body.advertised_battery_flag ?? false,
          withBattery: body.advertised_battery ?? true,
        };
        return VirtualClock.create(body.name ?? CLOCK_NAME, form, start, surroundings);
      }),
    ),
};
