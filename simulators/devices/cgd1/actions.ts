import * as E from 'fp-ts/lib/Either.js';
import type { Actions } from '../device.js';
import { actionFailed } from '../device-error.js';
import type { ActionCodecs } from './codecs.js';
import type { ClockModel } from './model.js';

export interface ActedOn {
  readonly model: ClockModel;
  /** Notifies raw bytes of a characteristic, a UUID of 4 digits; false if no host has subscribed to it. */
  readonly send: (characteristic: string, value: Buffer) => boolean;
  /** Advertises changed values, or notifies them to the host. */
  readonly publish: (values: 'sensors' | 'battery') => void;
}

export const actionsOn = ({ model, send, publish }: ActedOn): Actions<ActionCodecs> => ({
  sensors: ({ temperature, humidity }) => {
    model.measure({
      ...(temperature !== undefined && { temperature }),
      ...(humidity !== undefined && { humidity }),
    });
    publish('sensors');
  },
  battery: ({ level }) => {
    model.setBattery(level);
    publish('battery');
  },
  button: ({ secs }) => model.press(secs),
  advance: ({ secs }) => model.advance(secs),
  notify: ({ characteristic, hex }) => {
    if (send(characteristic, Buffer.from(hex, 'hex'))) return;
    return E.left(
      actionFailed('not_subscribed', `no host has subscribed to ${characteristic} of this clock`),
    );
  },
});
