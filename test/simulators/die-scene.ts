import { encodeCommand, type Command, type Notification } from '../../src/protocols/godice/index.js';
import { DieModel } from '../../simulators/devices/godice/model.js';
import type { DieStart } from '../../simulators/devices/godice/state.js';
import { USUAL_BEHAVIOUR } from '../../simulators/devices/any-die/behaviour.js';
import { manualTime } from '../support/manual-time.js';

export const dark = { r: 0, g: 0, b: 0 };
export const red = { r: 255, g: 0, b: 0 };
export const blue = { r: 0, g: 0, b: 255 };
export const resting = { x: 1, y: 63, z: -2 };
export const other = { x: 64, y: 1, z: 0 };

const usual: DieStart = {
  colour: 'green',
  batteryLevel: 57,
  charging: false,
  resting,
  asleep: false,
  behaviour: USUAL_BEHAVIOUR,
};

/** A die without a radio, whose time a test advances. */
export const dieWith = (start: Partial<DieStart> = {}) => {
  const time = manualTime();
  const notifications: Notification[] = [];
  let drops = 0;
  let changes = 0;
  const die = new DieModel(
    { ...usual, ...start },
    {
      time,
      notify: (notification) => void notifications.push(notification),
      dropLink: () => void (drops += 1),
      changed: () => void (changes += 1),
    },
  );
  return {
    die,
    time,
    /** Its notifications since the last call. */
    notified: () => notifications.splice(0),
    send: (...commands: readonly Command[]) =>
      commands.forEach((command) => die.write(encodeCommand(command))),
    lit: () => die.state.leds,
    counts: () => ({ drops, changes }),
  };
};
