/**
 * The operations of a link on a characteristic, by requests of ATT (Core 5.4 Vol 3 Part F 3.4 and Part G 4.8 to 4.10). noble's
 * operations do not answer a refused write, and do not say why a device refuses.
 */
import * as E from 'fp-ts/lib/Either.js';
import {
  AttError,
  AttOpcode,
  DEFAULT_MTU,
  LONGEST_VALUE,
  Property,
  Uuid,
  describeAttError,
  u16,
  type AttFailure,
} from '../hci/att.js';

/** Sends a request; resolves with its response, which may be an error, and never if the link ends. */
export type SendRequest = (request: Buffer) => Promise<Buffer>;

/** A discovered characteristic. */
export interface Attributes {
  /** The handle of its value. */
  readonly valueHandle: number;
  /** The range of handles in which its descriptors may be. */
  readonly startHandle: number;
  readonly endHandle: number;
  /** Bits of `Property`. */
  readonly properties: number;
}

type Outcome<A> = Promise<E.Either<AttFailure, A>>;

const ERROR_LENGTH = 5;
/** Bytes of a response with the handle and the value of one client configuration. */
const CONFIGURATION_LENGTH = 6;
const CONFIGURATION = Buffer.from(Uuid.configuration, 'hex').reverse();
const NOTIFY = 0b01;
const INDICATE = 0b10;

/** The errors of a device whose value has no further part, or cannot have one. */
const NO_MORE: readonly number[] = [
  AttError.attributeNotLong,
  AttError.invalidOffset,
  AttError.requestNotSupported,
];

/** Flags of Execute Write: the parts of a long write are written, or dropped. */
const EXECUTE = 1;
const CANCEL = 0;

/** Whether a PDU is the response to a request, or its error. A device that sends anything else breaks the protocol. */
export const isResponse = (request: Buffer, response: Buffer): boolean => {
  const [requested = 0] = request;
  const [opcode, of] = response;
  // Each response has the opcode after that of its request.
  return opcode === AttOpcode.errorResponse
    ? response.length >= ERROR_LENGTH && of === requested
    : opcode === requested + 1;
};

/** Right: the response to a request, of `length` bytes at least. */
const exchange = async (sendRequest: SendRequest, request: Buffer, length = 1): Outcome<Buffer> => {
  const response = await sendRequest(request);
  if (response[0] === AttOpcode.errorResponse) {
    const error = response.readUInt8(4);
    return E.left({ reason: `the device refused: ${describeAttError(error)}`, error });
  }
  return response.length >= length
    ? E.right(response)
    : E.left({ reason: `the response is too short: ${response.toString('hex')}` });
};

const requestOf = (opcode: number, handle: number, ...rest: readonly Buffer[]): Buffer =>
  Buffer.concat([Buffer.of(opcode), u16(handle), ...rest]);

/** Reads a value with as many requests as necessary: a response that fills a packet may not be the last part. */
export const readValue = async (sendRequest: SendRequest, handle: number, mtu: number): Outcome<Buffer> => {
  let value = Buffer.alloc(0);
  for (;;) {
    const { length } = value;
    const request =
      length === 0
        ? requestOf(AttOpcode.readRequest, handle)
        : requestOf(AttOpcode.readBlobRequest, handle, u16(length));
    const response = await exchange(sendRequest, request);
    if (E.isLeft(response)) {
      const { error } = response.left;
      return length > 0 && error !== undefined && NO_MORE.includes(error) ? E.right(value) : response;
    }
    value = Buffer.concat([value, response.right.subarray(1)]);
    if (response.right.length < mtu || value.length >= LONGEST_VALUE) return E.right(value);
  }
};

/** Writes a value; a value that does not fit a packet is written in parts, either all or none. */
export const writeValue = async (
  sendRequest: SendRequest,
  handle: number,
  value: Buffer,
  mtu: number,
): Outcome<void> => {
  if (value.length <= mtu - 3)
    return E.map(() => undefined)(
      await exchange(sendRequest, requestOf(AttOpcode.writeRequest, handle, value)),
    );
  const execute = (flags: number) => exchange(sendRequest, Buffer.of(AttOpcode.executeWriteRequest, flags));
  for (let offset = 0; offset < value.length; offset += mtu - 5) {
    const part = value.subarray(offset, offset + mtu - 5);
    const prepared = await exchange(
      sendRequest,
      requestOf(AttOpcode.prepareWriteRequest, handle, u16(offset), part),
    );
    if (E.isRight(prepared)) continue;
    await execute(CANCEL);
    return prepared;
  }
  return E.map(() => undefined)(await execute(EXECUTE));
};

/** The PDU of a write without response. */
export const writeCommand = (handle: number, value: Buffer): Buffer =>
  requestOf(AttOpcode.writeCommand, handle, value);

/** Enables notifications of a value, or indications where the device cannot notify. */
export const enableNotifications = async (
  sendRequest: SendRequest,
  { startHandle, endHandle, properties }: Attributes,
): Outcome<void> => {
  const configuration = await exchange(
    sendRequest,
    requestOf(AttOpcode.readByTypeRequest, startHandle, u16(endHandle), CONFIGURATION),
    CONFIGURATION_LENGTH,
  );
  if (E.isLeft(configuration)) return configuration;
  const handle = configuration.right.readUInt16LE(2);
  const enabled =
    configuration.right.readUInt16LE(4) | ((properties & Property.notify) !== 0 ? NOTIFY : INDICATE);
  return writeValue(sendRequest, handle, u16(enabled), DEFAULT_MTU);
};
