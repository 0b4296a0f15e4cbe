/** On top of it, a UUID of 16 bits is one of 128 (Core 5.4 Vol 3 Part B 2.5.1). */
const BASE = '00001000800000805f9b34fb';

/** A UUID as lower-case hex digits: 4 if it is on top of Bluetooth's base UUID, else 32. */
export const shortUuid = (uuid: string): string => {
  const digits = uuid.replaceAll('-', '').toLowerCase();
  return digits.length === 32 && digits.startsWith('0000') && digits.endsWith(BASE)
    ? digits.slice(4, 8)
    : digits;
};
