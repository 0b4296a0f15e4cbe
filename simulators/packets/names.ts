/** The names of the Core specification for the keys of the layouts. */
import { hexNumber } from '../../src/bytes/index.js';
import { commandName } from '../../src/ble/hci/commands.js';
import { SignalCode } from '../../src/ble/hci/l2cap-signaling.js';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { AttError, AttOpcode } from '../../src/ble/hci/att.js';
import { SmpCode } from '../ble/smp.js';
import { specification } from '../radio/host/specification.js';

/** Keys that leave out words of the name, or say it in others. */
const titles: Readonly<Record<string, string>> = {
  readRemoteVersionComplete: 'Read Remote Version Information Complete',
  unknownCommand: 'Unknown HCI Command',
  unknownConnection: 'Unknown Connection Identifier',
  pinOrKeyMissing: 'PIN or Key Missing',
  unsupportedFeature: 'Unsupported Feature or Parameter Value',
  invalidParameters: 'Invalid HCI Command Parameters',
  remoteUserTerminated: 'Remote User Terminated Connection',
  localHostTerminated: 'Connection Terminated by Local Host',
  procedureTimeout: 'LL Response Timeout',
  micFailure: 'Connection Terminated due to MIC Failure',
  failedToEstablish: 'Connection Failed to be Established',
  unknownAdvertisingSet: 'Unknown Advertising Identifier',
  invalidLength: 'Invalid Attribute Value Length',
  unsupportedGroup: 'Unsupported Group Type',
  pairingDhKeyCheck: 'Pairing DHKey Check',
  generateDhKeyComplete: 'Generate DHKey Complete',
  incompleteUuids16: 'Incomplete List of 16-bit Service UUIDs',
  completeUuids16: 'Complete List of 16-bit Service UUIDs',
  incompleteUuids128: 'Incomplete List of 128-bit Service UUIDs',
  completeUuids128: 'Complete List of 128-bit Service UUIDs',
  configuration: 'Client Characteristic Configuration',
  shortName: 'Shortened Local Name',
  completeName: 'Complete Local Name',
  serviceData16: 'Service Data - 16-bit UUID',
  manufacturerData: 'Manufacturer Specific Data',
};

const spoken = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const abbreviations: Readonly<Record<string, string>> = {
  P256: 'P-256',
  ...Object.fromEntries(['LE', 'MTU', 'PDU', 'PHY', 'RSSI', 'SID', 'UUID'].map((one) => [spoken(one), one])),
};

/** `LE Long Term Key Request` of `leLongTermKeyRequest`. */
export const titleOf = (key: string): string =>
  titles[key] ??
  key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => abbreviations[spoken(word)] ?? spoken(word))
    .join(' ');

type Names = ReadonlyMap<number, string>;

const namesOf = (codes: Readonly<Record<string, number>>, before = ''): Names =>
  new Map(Object.entries(codes).map(([key, code]) => [code, before + titleOf(key)]));

const statuses = namesOf(Status);
const attErrors = namesOf(AttError);

/** Of devices, and of the controller itself (Core 5.4 Vol 4 Part E 7.7.65.13 and 7.8.5). */
const addressTypes: Names = new Map([
  [0x00, 'Public'],
  [0x01, 'Random'],
  [0x02, 'Public Identity'],
  [0x03, 'Random Identity'],
  [0xfe, 'Random, Unresolved'],
  [0xff, 'Anonymous'],
]);
const ownAddressTypes: Names = new Map([
  ...[...addressTypes].slice(0, 2),
  [0x02, 'Resolvable Private or Public'],
  [0x03, 'Resolvable Private or Random'],
]);

const withName = (code: number, names: Names): string => {
  const name = names.get(code);
  return name === undefined ? hexNumber(code) : `${hexNumber(code)} ${name}`;
};

/** `0x08 Connection Timeout`. */
export const statusText = (status: number): string => withName(status, statuses);
export const addressTypeText = (type: number): string => withName(type, addressTypes);
export const ownAddressTypeText = (type: number): string => withName(type, ownAddressTypes);
export const attErrorText = (error: number): string => withName(error, attErrors);

export const attNames = namesOf(AttOpcode, 'ATT ');
export const smpNames = namesOf(SmpCode, 'SMP ');
export const signalNames = namesOf(SignalCode, 'L2CAP ');
export const eventNames = namesOf(EventCode);
export const leEventNames = namesOf(LeSubevent, 'LE ');

/** `LE Create Connection`. */
export const opcodeText = (opcode: number): string => {
  const name = commandName(opcode);
  return name === undefined
    ? `command ${hexNumber(opcode, 4)}`
    : specification[name][1].replaceAll('_', ' ').replace('BD ADDR', 'BD_ADDR');
};
