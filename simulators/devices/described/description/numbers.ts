/** Numbers as devices write them: the names of their layouts in a file, and their octets. */

export interface NumberLayout {
  /** Octets. */
  readonly size: number;
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
  readonly write: (value: number) => Buffer;
}

const whole = (octets: number, isSigned: boolean, isBig: boolean): NumberLayout => {
  const range = 2 ** (8 * octets);
  return {
    size: octets,
    min: isSigned ? -range / 2 : 0,
    max: (isSigned ? range / 2 : range) - 1,
    isWhole: true,
    write: (value) => {
      const bytes = Buffer.alloc(octets);
      bytes.writeUIntLE(value < 0 ? value + range : value, 0, octets);
      return isBig ? bytes.reverse() : bytes;
    },
  };
};

const LARGEST_FLOAT = 3.4028234663852886e38;

const float = (size: 4 | 8, isBig: boolean): NumberLayout => ({
  size,
  ...(size === 4
    ? { min: -LARGEST_FLOAT, max: LARGEST_FLOAT }
    : { min: -Number.MAX_VALUE, max: Number.MAX_VALUE }),
  isWhole: false,
  write: (value) => {
    const bytes = Buffer.alloc(size);
    if (size === 4) bytes.writeFloatLE(value);
    else bytes.writeDoubleLE(value);
    return isBig ? bytes.reverse() : bytes;
  },
});

interface Medical {
  readonly size: 2 | 4;
  readonly mantissaBits: number;
  readonly exponentBits: number;
  /** The largest mantissa of a number; larger mantissas are special values, such as NaN. */
  readonly most: number;
}

/** Mantissa and exponent with the fewest exact decimals, or else with as many decimals as fit. */
const medicalParts = (value: number, most: number, exponents: number): readonly [number, number] => {
  let [mantissa, exponent] = [value, 0];
  while (Math.abs(mantissa) > most && exponent < exponents - 1)
    [mantissa, exponent] = [mantissa / 10, exponent + 1];
  while (exponent <= 0 && exponent > -exponents && Math.abs(mantissa * 10) <= most) {
    if (Math.abs(mantissa - Math.round(mantissa)) < 1e-9 * Math.max(1, Math.abs(mantissa))) break;
    exponent -= 1;
    // From the original value, so that rounding errors do not add up.
    mantissa = value * 10 ** -exponent;
  }
  return [Math.round(mantissa), exponent];
};

/** Medical device numbers: mantissa and exponent of ten (IEEE 11073-20601, Annex F.6 and F.7; Personal Health Devices Transcoding White Paper 2.2). */
const medical = ({ size, mantissaBits, exponentBits, most }: Medical): NumberLayout => {
  const exponents = 2 ** (exponentBits - 1);
  const limit = most * 10 ** Math.min(exponents - 1, 30);
  return {
    ...{ size, min: -limit, max: limit, isWhole: false },
    write: (value) => {
      const [mantissa, exponent] = medicalParts(value, most, exponents);
      const bytes = Buffer.alloc(size);
      const wrapped = (number: number, bits: number): number => (number < 0 ? number + 2 ** bits : number);
      bytes.writeUIntLE(
        wrapped(exponent, exponentBits) * 2 ** mantissaBits + wrapped(mantissa, mantissaBits),
        0,
        size,
      );
      return bytes;
    },
  };
};

const bothOrders = <N extends string>(name: N, make: (isBig: boolean) => NumberLayout) =>
  ({ [`${name}le`]: make(false), [`${name}be`]: make(true) }) as Record<`${N}${'le' | 'be'}`, NumberLayout>;

/** Layouts by their names in a file: `u16le`, `s32be`, … */
export const numberLayouts = {
  u8: whole(1, false, false),
  s8: whole(1, true, false),
  ...bothOrders('u16', (isBig) => whole(2, false, isBig)),
  ...bothOrders('s16', (isBig) => whole(2, true, isBig)),
  ...bothOrders('u24', (isBig) => whole(3, false, isBig)),
  ...bothOrders('s24', (isBig) => whole(3, true, isBig)),
  ...bothOrders('u32', (isBig) => whole(4, false, isBig)),
  ...bothOrders('s32', (isBig) => whole(4, true, isBig)),
  ...bothOrders('u48', (isBig) => whole(6, false, isBig)),
  ...bothOrders('f32', (isBig) => float(4, isBig)),
  ...bothOrders('f64', (isBig) => float(8, isBig)),
  sfloat: medical({ size: 2, mantissaBits: 12, exponentBits: 4, most: 2045 }),
  float: medical({ size: 4, mantissaBits: 24, exponentBits: 8, most: 8_388_605 }),
} as const satisfies Readonly<Record<string, NumberLayout>>;

export type NumberName = keyof typeof numberLayouts;

export const isNumberName = (name: string): name is NumberName => Object.hasOwn(numberLayouts, name);
