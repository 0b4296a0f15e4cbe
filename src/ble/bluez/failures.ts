/** The errors of D-Bus and of BlueZ 5.55 to 5.87, by name and text (src/error.h, src/gatt-client.c and src/device.c of BlueZ). */
import { connectFailed } from '../connect-queue.js';
import { AttError, describeAttError } from '../hci/att.js';
import type { Address, BleError } from '../ports.js';
import type { Problem } from '../problem.js';
import type { CallFailure } from './bus.js';

type Meaning =
  /** There is no bus, or it has ended. */
  | 'no bus'
  /** The policy of the bus refuses this user. */
  | 'denied'
  /** bluetoothd does not run, or ended before its reply. */
  | 'no bluetoothd'
  /** BlueZ has no such object: the device has not advertised lately. */
  | 'no object'
  | 'adapter off'
  /** The link is gone. */
  | 'not connected'
  /** Another operation or attempt runs: the next try may succeed. */
  | 'busy'
  | 'too many links'
  /** The link was made and lost at once, or this host gave the attempt up. */
  | 'not established';

const MEANINGS: readonly (readonly [meaning: Meaning, name: RegExp, text: RegExp])[] = [
  ['no bus', /\.(Disconnected|NoServer)$/, /(?:)/],
  ['denied', /\.(AccessDenied|AuthFailed)$/, /(?:)/],
  ['no bluetoothd', /\.(ServiceUnknown|NameHasNoOwner)$|\.Spawn\./, /(?:)/],
  ['no bluetoothd', /\.NoReply$/, /(?:)/],
  ['no object', /\.(UnknownObject|UnknownMethod|DoesNotExist)$/, /(?:)/],
  ['adapter off', /\.NotReady$/, /(?:)/],
  // The text of a write before 5.64, the name since.
  ['not connected', /\.NotConnected$/, /(?:)/],
  ['not connected', /\.Failed$/, /^Not connected$/],
  ['busy', /\.InProgress$/, /(?:)/],
  ['busy', /\.Failed$/, /^(Operation already in progress|In Progress|le-connection-busy)$/],
  // Before 5.62 the texts of errno: EIO without power, EMLINK, ECONNABORTED.
  ['adapter off', /\.Failed$/, /adapter-not-powered$|^Input\/output error$/],
  ['too many links', /\.Failed$/, /concurrent-connection-limit$|^Too many links$/],
  ['not established', /\.Failed$/, /connection-abort-by-local$|^Software caused connection abort$/],
];

/** What a failure means; undefined: the device or BlueZ refused for another reason. */
export const meaningOf = ({ name, text }: CallFailure): Meaning | undefined =>
  MEANINGS.find(([, names, texts]) => names.test(name) && texts.test(text))?.[0];

/** The ATT errors that BlueZ reports by a name and text of their own; it reports all others by their numbers. */
const ATT_ERRORS: readonly (readonly [error: number, name: RegExp, text: RegExp])[] = [
  [AttError.readNotPermitted, /\.NotPermitted$/, /^Read not permitted$/],
  [AttError.writeNotPermitted, /\.NotPermitted$/, /^Write not permitted$/],
  [AttError.insufficientAuthentication, /\.NotPermitted$/, /^Not paired$/],
  [AttError.invalidOffset, /\.InvalidArguments$|\.InvalidOffset$/, /^Invalid offset$/i],
  [AttError.invalidLength, /\.InvalidArguments$|\.InvalidValueLength$/, /^Invalid Length$/i],
  [AttError.insufficientAuthorization, /\.NotAuthorized$/, /(?:)/],
];

export const attErrorOf = ({ name, text }: CallFailure): number | undefined => {
  const code = /ATT error: 0x([0-9a-f]{2})/i.exec(text)?.[1];
  return code === undefined
    ? ATT_ERRORS.find(([, names, texts]) => names.test(name) && texts.test(text))?.[0]
    : parseInt(code, 16);
};

/** A failure in words. */
export const describeFailure = (failure: CallFailure): string => {
  const error = attErrorOf(failure);
  if (error !== undefined) return `the device refused: ${describeAttError(error)}`;
  return `BlueZ reports ${failure.text === '' ? failure.name : failure.text}`;
};

/** The failure of an attempt to connect. */
export const connectError = (address: Address, failure: CallFailure): BleError => {
  switch (meaningOf(failure)) {
    case 'no bus':
    case 'no bluetoothd':
    case 'adapter off':
      return { _tag: 'AdapterOff', state: 'poweredOff' };
    case 'denied':
      return { _tag: 'AdapterOff', state: 'unauthorized' };
    case 'no object':
      return { _tag: 'NotFound', address };
    case 'too many links':
      return { _tag: 'LinkLimit', address };
    case 'not connected':
    case 'busy':
    case 'not established':
    case undefined:
      return connectFailed(address, describeFailure(failure));
  }
};

/** Why BlueZ cannot be used. */
export const unusable = (failure: CallFailure): Problem => {
  switch (meaningOf(failure)) {
    case 'no bus':
      return {
        what: `the system bus of D-Bus, over which BlueZ is used, cannot be reached (${failure.text})`,
        fix: 'run `sudo systemctl start dbus`, or in a container mount /run/dbus of its host',
      };
    case 'denied':
      return {
        what: 'the system bus does not let this user talk to BlueZ',
        fix: 'run `sudo usermod -aG bluetooth "$USER"`, and log in again (or give the service SupplementaryGroups=bluetooth)',
      };
    case 'no bluetoothd':
      return {
        what: 'bluetoothd does not run, and nothing starts it again by itself',
        fix: 'run `sudo systemctl enable --now bluetooth`, or `sudo apt install bluez` first if it is not installed',
      };
    case 'no object':
    case 'adapter off':
    case 'not connected':
    case 'busy':
    case 'too many links':
    case 'not established':
    case undefined:
      return { what: `BlueZ cannot be used: ${failure.name}: ${failure.text}` };
  }
};
