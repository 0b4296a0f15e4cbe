/** Replies and values of BlueZ 5.66, as they were seen, and devices for a fake one. */
import * as E from 'fp-ts/lib/Either.js';
import type { Values } from '../../src/ble/bluez/objects.js';
import type { Call, CallFailure, Outcome } from '../../src/system/system-bus.js';

export const uuid128 = (short: string): string => `0000${short}-0000-1000-8000-00805f9b34fb`;

export const bluezError = (name: string, text: string): CallFailure => ({
  ...{ name: name.includes('.') ? name : `org.bluez.Error.${name}`, text },
});
export const failed = (text: string): Outcome => E.left(bluezError('Failed', text));
export const done = E.right([]);
/** The types of the arguments of each method. */
const SIGNATURES: Readonly<Record<string, string>> = {
  ...{
    GetManagedObjects: '',
    StartDiscovery: '',
    StopDiscovery: '',
    Connect: '',
    Disconnect: '',
    StartNotify: '',
    StopNotify: '',
  },
  ...{ SetDiscoveryFilter: 'a{sv}', RemoveDevice: 'o', ReadValue: 'a{sv}', WriteValue: 'aya{sv}' },
};

export const isMethod = ({ member, signature = '', options }: Call): boolean =>
  SIGNATURES[member] === `${signature}${options === undefined ? '' : 'a{sv}'}`;

export const unknownObject = ({ member, interface: name }: Call): Outcome =>
  E.left(
    bluezError(
      `org.freedesktop.DBus.Error.UnknownObject`,
      `Method "${member}" with signature "" on interface "${name}" doesn't exist\n`,
    ),
  );

export type Answer = (outcome: Outcome) => void;

export interface FakeCharacteristic {
  readonly uuid: string;
  readonly flags: readonly string[];
  readonly value?: Buffer;
}

export interface FakeDevice {
  readonly address: string;
  /** The properties of its packets; undefined: out of range. */
  packet: Values | undefined;
  services: Readonly<Record<string, readonly FakeCharacteristic[]>>;
  /** The level in percent, which the battery plugin reports. */
  battery?: number;
  /** Whether BlueZ resolves the services by itself, right after the link. */
  resolves: boolean;
  isReported: boolean;
  connecting: Answer | undefined;
}
