import { AttOpcode, uuidText } from '../../src/ble/hci/att.js';

/** Where the searched UUID begins in requests that end with it (Core 5.4 Vol 3 Part F 3.4.3.3, 3.4.4.1 and 3.4.4.9). */
const searches: Readonly<Record<number, number>> = {
  [AttOpcode.findByTypeValueRequest]: 7,
  [AttOpcode.readByTypeRequest]: 5,
  [AttOpcode.readByGroupTypeRequest]: 5,
};

const LONG = 16;
/** The octets of a 16-bit UUID in its 128-bit form. */
const SHORT = [12, 14] as const;

/**
 * An ATT request with the searched UUID in its 16-bit form, if it has this form: both forms are the same UUID
 * (Core 5.4 Vol 3 Part B 2.5.1), but bleno compares their digits.
 */
export const withShortUuid = (request: Buffer): Buffer => {
  const at = searches[request[0] ?? 0];
  if (at === undefined || request.length !== at + LONG) return request;
  const uuid = request.subarray(at);
  return uuidText(uuid).length === LONG * 2
    ? request
    : Buffer.concat([request.subarray(0, at), uuid.subarray(...SHORT)]);
};
