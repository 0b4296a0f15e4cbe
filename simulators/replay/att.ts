/** ATT's error codes (Core 5.4 Vol 3 Part F 3.4.1.1). */
export const AttError = {
  invalidHandle: 0x01,
  readNotPermitted: 0x02,
  writeNotPermitted: 0x03,
  invalidPdu: 0x04,
  requestNotSupported: 0x06,
  invalidOffset: 0x07,
  prepareQueueFull: 0x09,
  attributeNotFound: 0x0a,
  invalidLength: 0x0d,
  unlikely: 0x0e,
  unsupportedGroup: 0x10,
} as const;

/** Attribute types (Core 5.4 Vol 3 Part G 3). */
export const Uuid = {
  primaryService: '2800',
  secondaryService: '2801',
  include: '2802',
  characteristic: '2803',
  configuration: '2902',
} as const;

/** Of a characteristic declaration. */
export const Property = { read: 0x02, writeWithoutResponse: 0x04, write: 0x08 } as const;

/** Whether this value of a client configuration asks for notifications or indications (Core 5.4 Vol 3 Part G 3.3.3.3). */
export const isEnabling = (configuration: Buffer): boolean => ((configuration[0] ?? 0) & 0b11) !== 0;

/** ATT_MTU until another is agreed. */
export const DEFAULT_MTU = 23;

/** An opcode with this bit asks for no answer. */
export const COMMAND_BIT = 0x40;

/** A UUID as it stands in a packet, as text: 4 or 32 hex digits. */
export const uuidText = (bytes: Buffer): string => Buffer.from(bytes).reverse().toString('hex');

export const u16 = (value: number): Buffer => Buffer.from([value & 0xff, value >> 8]);
