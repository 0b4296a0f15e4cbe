/** The errors of D-Bus and of BlueZ 5.55 to 5.87, by name and text (src/error.h, src/gatt-client.c and src/device.c of BlueZ). */
import { adapterOff } from '../adapter-off.js';
import { connectFailed } from '../connect-queue.js';
import { AttError, describeAttError } from '../hci/att.js';
import type { Address, BleError } from '../ports.js';
import type { Problem } from '../problem.js';
import type { CallFailure } from '../../system/system-bus.js';

/** A failure as one text: its name without `org.bluez.Error.` or `org.freedesktop.DBus.Error.`, and its text. */
const textOf = ({ name, text }: CallFailure): string => `${name.slice(name.lastIndexOf('.') + 1)}: ${text}`;

/** The failures that need an answer of their own, each with its texts. Until 5.62 texts are those of errno: EIO, EMLINK, ECONNABORTED. */
const MEANINGS = {
  otherSystem: /^NotSupported: only Linux/,
  noLibrary: /^FileNotFound:/,
  /** A profile keeps this program, such as a container on Ubuntu, from the bus or from BlueZ. */
  confined: /^(NoServer|AccessDenied): .*(AppArmor|SELinux) policy/,
  /** The bus ends the connection of this user at once, or rejects it: dbus-daemon does so if its host has no user of this number. */
  unknownUser: /^NoServer: .*(EPIPE|ECONNRESET|has ended|REJECTED)/,
  /** There is no bus, or it has ended. */
  noBus: /^(Disconnected|NoServer):/,
  /** The policy of the bus refuses this user. */
  denied: /^AccessDenied:/,
  /** bluetoothd does not run, or ended before its reply. */
  noDaemon: /^(ServiceUnknown|NameHasNoOwner|NoReply):/,
  /** BlueZ has no such object: the device has not advertised lately. */
  noObject: /^(UnknownObject|UnknownMethod|DoesNotExist):/,
  adapterOff: /^NotReady:|^Failed: (.*adapter-not-powered|Input\/output error)$/,
  /** The link is gone. */
  notConnected: /^NotConnected:|^Failed: Not connected$/,
  /** Another operation or attempt runs: the next try may succeed. */
  busy: /^InProgress:|^Failed: (Operation already in progress|In Progress|le-connection-busy)$/,
  tooManyLinks: /^Failed: (.*concurrent-connection-limit|Too many links)$/,
  /** The link was made and lost at once. */
  notEstablished: /^Failed: (.*connection-abort-by-local|Software caused connection abort)$/,
};

type Meaning = keyof typeof MEANINGS;

/** Undefined: the device or BlueZ refused for another reason. */
export const meaningOf = (failure: CallFailure): Meaning | undefined =>
  (Object.keys(MEANINGS) as Meaning[]).find((meaning) => MEANINGS[meaning].test(textOf(failure)));

/** The ATT errors that BlueZ reports without their number. */
const ATT_ERRORS: readonly (readonly [text: RegExp, error: number])[] = [
  [/^NotPermitted: Read not permitted$/, AttError.readNotPermitted],
  [/^NotPermitted: Write not permitted$/, AttError.writeNotPermitted],
  [/^NotPermitted: Not paired$/, AttError.insufficientAuthentication],
  [/^Invalid(Arguments|Offset): Invalid offset$/i, AttError.invalidOffset],
  [/^Invalid(Arguments|ValueLength): Invalid Length$/i, AttError.invalidLength],
  [/^NotAuthorized:/, AttError.insufficientAuthorization],
];

export const attErrorOf = (failure: CallFailure): number | undefined => {
  const code = /ATT error: 0x([0-9a-f]{2})/i.exec(failure.text)?.[1];
  return code === undefined
    ? ATT_ERRORS.find(([text]) => text.test(textOf(failure)))?.[1]
    : parseInt(code, 16);
};

/** A failure in words. */
export const describeFailure = (failure: CallFailure): string => {
  const error = attErrorOf(failure);
  return error === undefined
    ? `BlueZ reports ${failure.text || failure.name}`
    : `the device refused: ${describeAttError(error)}`;
};

/** The failure of an attempt to connect. */
export const connectError = (address: Address, failure: CallFailure): BleError => {
  const problem = unusable(failure);
  const off = adapterOff({ state: 'poweredOff', problem });
  const unauthorized = adapterOff({ state: 'unauthorized', problem });
  const errors: Readonly<Partial<Record<Meaning, BleError>>> = {
    ...{ noBus: off, noDaemon: off, adapterOff: off },
    ...{ denied: unauthorized, unknownUser: unauthorized, confined: unauthorized },
    ...{ noObject: { _tag: 'NotFound', address }, tooManyLinks: { _tag: 'LinkLimit', address } },
  };
  const meaning = meaningOf(failure);
  return (meaning && errors[meaning]) ?? connectFailed(address, describeFailure(failure));
};

/** Why BlueZ cannot be used. */
export const unusable = (failure: CallFailure): Problem => {
  const problems: Readonly<Partial<Record<Meaning, Problem>>> = {
    otherSystem: { what: 'only Linux has BlueZ', fix: 'use a Bluetooth proxy with --proxy' },
    noLibrary: {
      what: 'BlueZ needs a package that is not installed',
      fix: `\`npm install ${failure.text}\``,
    },
    noBus: {
      what: `the system bus of D-Bus, over which BlueZ is used, cannot be reached (${failure.text})`,
      fix: 'run `sudo systemctl start dbus`, or in a container mount /run/dbus of its host',
    },
    unknownUser: {
      what: `the system bus of D-Bus refuses the user number ${process.getuid?.()}`,
      fix: 'be a user whom its host knows (a container: one of its host, by `docker run --user …`; a service: by User=)',
    },
    confined: {
      what: 'AppArmor or SELinux keeps this program from BlueZ',
      fix: 'in a container add `--security-opt apparmor=unconfined` (SELinux: `label=disable`)',
    },
    denied: {
      what: 'the system bus does not let this user talk to BlueZ',
      fix: 'run `sudo usermod -aG bluetooth "$USER"`, and log in again (or give the service SupplementaryGroups=bluetooth)',
    },
    adapterOff: { what: 'the adapter of BlueZ is off', fix: 'run `bluetoothctl power on`' },
    noDaemon: {
      what: 'bluetoothd does not run, and nothing starts it again by itself',
      fix: 'run `sudo systemctl enable --now bluetooth`, or `sudo apt install bluez` first if it is not installed',
    },
  };
  const meaning = meaningOf(failure);
  return (meaning && problems[meaning]) ?? { what: `BlueZ cannot be used: ${failure.name}: ${failure.text}` };
};
