import * as E from 'fp-ts/lib/Either.js';
import type { Actions } from '../device.js';
import { actionFailed, type DeviceError } from '../device-error.js';
import type { CommonActions } from './codecs.js';

/** About as long as in the vendor's own simulator of GoDice (docs/godice-protocol.md §6). */
export const ROLL_MS = 1000;

export interface ActedOn<Model> {
  readonly model: Model;
  readonly rng: () => number;
  /** Sends raw bytes; false if no host has subscribed. */
  readonly send: (value: Buffer) => boolean;
}

interface CommonModel {
  charge(on: boolean): void;
  setBattery(level: number): void;
  sleep(): void;
  wake(): void;
}

interface NotifyAction {
  readonly notify: (fields: { readonly hex: string }) => void | E.Either<DeviceError, void>;
}

export const commonActionsOn = ({
  model,
  send,
}: ActedOn<CommonModel>): Actions<CommonActions> & NotifyAction => ({
  charge: ({ on }) => model.charge(on),
  battery: ({ level }) => model.setBattery(level),
  sleep: () => model.sleep(),
  wake: () => model.wake(),
  notify: ({ hex }) => {
    if (send(Buffer.from(hex, 'hex'))) return;
    return E.left(actionFailed('not_subscribed', 'no host has subscribed to the notifications of this die'));
  },
});
