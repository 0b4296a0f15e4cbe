import { hexNumber } from '../../bytes/index.js';
import { namesOf } from './status.js';

/** Opcodes of ATT PDUs (Core 5.4 Vol 3 Part F 3.4.8). */
export const AttOpcode = {
  errorResponse: 0x01,
  exchangeMtuRequest: 0x02,
  exchangeMtuResponse: 0x03,
  findInformationRequest: 0x04,
  findInformationResponse: 0x05,
  findByTypeValueRequest: 0x06,
  findByTypeValueResponse: 0x07,
  readByTypeRequest: 0x08,
  readByTypeResponse: 0x09,
  readRequest: 0x0a,
  readResponse: 0x0b,
  readBlobRequest: 0x0c,
  readBlobResponse: 0x0d,
  readMultipleRequest: 0x0e,
  readMultipleResponse: 0x0f,
  readByGroupTypeRequest: 0x10,
  readByGroupTypeResponse: 0x11,
  writeRequest: 0x12,
  writeResponse: 0x13,
  prepareWriteRequest: 0x16,
  prepareWriteResponse: 0x17,
  executeWriteRequest: 0x18,
  executeWriteResponse: 0x19,
  handleValueNotification: 0x1b,
  handleValueIndication: 0x1d,
  handleValueConfirmation: 0x1e,
  writeCommand: 0x52,
  signedWriteCommand: 0xd2,
} as const;

/** ATT's error codes (Core 5.4 Vol 3 Part F 3.4.1.1). */
export const AttError = {
  invalidHandle: 0x01,
  readNotPermitted: 0x02,
  writeNotPermitted: 0x03,
  invalidPdu: 0x04,
  insufficientAuthentication: 0x05,
  requestNotSupported: 0x06,
  invalidOffset: 0x07,
  insufficientAuthorization: 0x08,
  prepareQueueFull: 0x09,
  attributeNotFound: 0x0a,
  attributeNotLong: 0x0b,
  encryptionKeySizeTooShort: 0x0c,
  invalidLength: 0x0d,
  unlikelyError: 0x0e,
  insufficientEncryption: 0x0f,
  unsupportedGroup: 0x10,
  insufficientResources: 0x11,
  databaseOutOfSync: 0x12,
  valueNotAllowed: 0x13,
} as const;

const errorNames = namesOf(AttError, { invalidPdu: 'invalid PDU' });

/** An error in words, with its code. */
export const describeAttError = (code: number): string =>
  `${errorNames.get(code) ?? 'ATT error'} (${hexNumber(code)})`;

/** The failure of a request. */
export interface AttFailure {
  /** Part of a message. */
  readonly reason: string;
  /** The ATT error, if the device refused. */
  readonly error?: number;
}

/** Attribute types (Core 5.4 Vol 3 Part G 3). */
export const Uuid = {
  primaryService: '2800',
  secondaryService: '2801',
  include: '2802',
  characteristic: '2803',
  configuration: '2902',
  serviceChanged: '2a05',
} as const;

/** Services that every device has, and characteristics of the first (Core 5.4 Vol 3 Part C 12, Part G 7). */
export const GenericUuid = {
  access: '1800',
  attribute: '1801',
  deviceName: '2a00',
  appearance: '2a01',
} as const;

/** The properties in a characteristic declaration. */
export const Property = {
  read: 0x02,
  writeWithoutResponse: 0x04,
  write: 0x08,
  notify: 0x10,
  indicate: 0x20,
} as const;

/** Whether a value of a client configuration enables notifications or indications (Core 5.4 Vol 3 Part G 3.3.3.3). */
export const isEnabling = (configuration: Buffer): boolean => ((configuration[0] ?? 0) & 0b11) !== 0;

/** The maximum length of a value, bytes (Core 5.4 Vol 3 Part F 3.2.9). */
export const LONGEST_VALUE = 512;

/** ATT_MTU until another is agreed. */
export const DEFAULT_MTU = 23;

/** The refusal of a value that is too long for one Write Command (Core 5.4 Vol 3 Part F 3.4.5.3). */
export const commandProblem = (value: Buffer, mtu: number): string | undefined =>
  value.length > mtu - 3 ? `a write without response has room for ${mtu - 3} octets on this link` : undefined;

/** An opcode with this bit has no response. */
export const COMMAND_BIT = 0x40;

/** The digits after a 16-bit UUID in its 128-bit form (Core 5.4 Vol 3 Part B 2.5.1); the digits before it are zeros. */
const BASE_UUID = '00001000800000805f9b34fb';

/** A UUID of 4 or 32 hex digits, dashes allowed, in lower case without dashes: a 16-bit UUID has 4 digits, even from its 128-bit form. */
export const shortUuid = (uuid: string): string => {
  const digits = uuid.replaceAll('-', '').toLowerCase();
  return digits.length === 32 && digits.startsWith('0000') && digits.endsWith(BASE_UUID)
    ? digits.slice(4, 8)
    : digits;
};

/**
 * A UUID of the Bluetooth base (Core 5.4 Vol 3 Part B 2.5.1) as noble writes 16-bit UUIDs: devices may list the same
 * characteristic with 128 bits.
 */
export const shortest = (uuid: string): string =>
  uuid.replace(/^0*([0-9a-f]+)00001000800000805f9b34fb$/, '$1');

/** The `shortUuid` of a UUID in a packet. */
export const uuidText = (bytes: Buffer): string => shortUuid(Buffer.from(bytes).reverse().toString('hex'));

export const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
