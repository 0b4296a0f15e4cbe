import { encodeCommand, type Command, type Notification } from '../../../src/protocols/pixels/index.js';
import { USUAL_BEHAVIOUR } from '../../../simulators/devices/any-die/behaviour.js';
import { PixelModel } from '../../../simulators/devices/pixels/model.js';
import type { PixelStart } from '../../../simulators/devices/pixels/state.js';
import { manualTime } from '../../support/manual-time.js';

const usual: PixelStart = {
  type: 'd20',
  colorway: 'midnight_galaxy',
  name: 'Pixel12345678',
  pixelId: 0x12345678,
  firmware: '2024-11-07',
  batteryLevel: 80,
  charging: false,
  faceIndex: 19,
  asleep: false,
  behaviour: USUAL_BEHAVIOUR,
};

/** A die without a radio, whose time a test advances. */
export const dieWith = (start: Partial<PixelStart> = {}) => {
  const time = manualTime();
  const notifications: Notification[] = [];
  const signal = { rssi: -60 };
  let drops = 0;
  const die = new PixelModel(
    { ...usual, ...start },
    {
      time,
      notify: (notification) => void notifications.push(notification),
      dropLink: () => void (drops += 1),
      changed: () => undefined,
      rssi: () => signal.rssi,
    },
  );
  return {
    die,
    time,
    signal,
    /** Its notifications since the last call. */
    notified: () => notifications.splice(0),
    send: (...commands: readonly Command[]) =>
      commands.forEach((command) => die.write(encodeCommand(command))),
    drops: () => drops,
  };
};
