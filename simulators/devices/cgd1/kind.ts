import { deviceKind } from '../device-kind.js';
import { ClockBehaviour } from './behaviour.js';
import { StartBody, actionCodecs } from './codecs.js';
import { startOf } from './start.js';
import { VirtualClock } from './virtual-clock.js';

/** Qingping CGD1. */
export const clock = deviceKind({
  addressPrefix: '58:2D:34',
  addressType: 'public',
  start: StartBody,
  actions: actionCodecs,
  behaviour: ClockBehaviour,
  make: (start, behaviour, context) => {
    const form = {
      header: parseInt(start.advertised_header, 16),
      batteryFlag: start.advertised_battery_flag,
      withBattery: start.advertised_battery,
    };
    return new VirtualClock(start.name, form, startOf(start, behaviour), context);
  },
});
