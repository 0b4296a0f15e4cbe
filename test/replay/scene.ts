/** A replayed device, and a host that connects it. */
import { ReplayedDevice } from '../../simulators/devices/recorded/replayed-device.js';
import { attHost } from '../support/att-host.js';
import { stillAir } from '../support/hci-scenes.js';
import { recorded } from './captures.js';

export const ADDRESS = 'C0:FF:EE:00:00:01';

export const replayOf = async (file: Buffer) => {
  const { air, time } = stillAir();
  const warnings: string[] = [];
  const recording = await recorded(file);
  const device = new ReplayedDevice({ air, recording, warn: (message) => warnings.push(message) });
  return Object.assign(await attHost(air, time, ADDRESS), { air, time, warnings, device, recording });
};
