/** A control API acts: the device is a virtual one. */
import type { Control } from '../../simulators/testing/index.js';
import type { Actor, ReadModel } from './actor.js';

export const controlActor = (control: Control): Actor => ({
  act: async ({ address }, action) => {
    if (action.type === 'shake') await control.act(address, { type: 'roll', ending: 'none' });
    else if (action.type === 'away' || action.type === 'back')
      await control.place(address, { in_range: action.type === 'back' });
    else await control.act(address, action);
  },
  tries: false,
});

export const controlModel =
  (control: Control): ReadModel =>
  (address) =>
    control.device(address);
