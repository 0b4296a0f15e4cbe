/** The names of the Core specification for the keys of the layouts. */
import { hexNumber } from '../../src/bytes/index.js';
import { commandName } from '../../src/ble/hci/commands.js';
import { SignalCode } from '../../src/ble/hci/l2cap-signaling.js';
import { EventCode, LeSubevent } from '../../src/ble/hci/packets.js';
import { Status } from '../../src/ble/hci/status.js';
import { AttError, AttOpcode, Uuid } from '../../src/ble/hci/att.js';
import type { AttributeMap } from '../ble/attributes.js';
import { SmpCode } from '../ble/smp.js';
import { specification } from '../radio/host/specification.js';

/** The names of keys that leave out or replace words of the name. */
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

const title = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();

const abbreviations: Readonly<Record<string, string>> = {
  P256: 'P-256',
  ...Object.fromEntries(['LE', 'MTU', 'PDU', 'PHY', 'RSSI', 'SID', 'UUID'].map((w) => [title(w), w])),
};

/** `LE Long Term Key Request` of `leLongTermKeyRequest`. */
export const titleOf = (key: string): string =>
  titles[key] ??
  key
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(' ')
    .map((word) => abbreviations[title(word)] ?? title(word))
    .join(' ');

type Names = ReadonlyMap<number, string>;

const namesOf = (codes: Readonly<Record<string, number>>, before = ''): Names =>
  new Map(Object.entries(codes).map(([key, code]) => [code, before + titleOf(key)]));

const statuses = namesOf(Status);
const attErrors = namesOf(AttError);

/** Address types of devices, and of the controller itself (Core 5.4 Vol 4 Part E 7.7.65.13 and 7.8.5). */
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

/** Names of declarations, by their types. */
const declarations = new Map<string, string>(Object.entries(Uuid).map(([key, uuid]) => [uuid, titleOf(key)]));

/** `0x2A19` or `6E400003-B5A3-F393-E0A9-E50E24DCCA9E` from hex digits; the name of a declaration. */
export const uuidName = (digits: string): string => {
  const name = declarations.get(digits);
  if (name !== undefined) return name;
  const upper = digits.toUpperCase();
  return digits.length === 4
    ? `0x${upper}`
    : upper.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** `0x0012`, and the type of its attribute. */
export const attributeText = (handle: number, attributes: AttributeMap | undefined): string => {
  const attribute = attributes?.get(handle);
  const number = hexNumber(handle, 4);
  return attribute === undefined ? number : `${number} (${uuidName(attribute.type)})`;
};

/** The same for a summary, with only the beginning of a long UUID. */
export const attributeLine = (handle: number, attributes: AttributeMap | undefined): string =>
  attributeText(handle, attributes).replace(/\((.{8})-.*\)$/, '($1…)');
