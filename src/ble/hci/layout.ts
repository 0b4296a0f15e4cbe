/** Fixed layouts of little-endian fields, as HCI packets are made of: one description reads, writes and types them. */
export interface Field<A> {
  readonly size: number;
  readonly read: (from: Buffer, offset: number) => A;
  readonly write: (to: Buffer, offset: number, value: A) => void;
}

export const u8: Field<number> = {
  size: 1,
  read: (from, offset) => from.readUInt8(offset),
  write: (to, offset, value) => void to.writeUInt8(value, offset),
};

export const i8: Field<number> = {
  size: 1,
  read: (from, offset) => from.readInt8(offset),
  write: (to, offset, value) => void to.writeInt8(value, offset),
};

export const u16: Field<number> = {
  size: 2,
  read: (from, offset) => from.readUInt16LE(offset),
  write: (to, offset, value) => void to.writeUInt16LE(value, offset),
};

export const u24: Field<number> = {
  size: 3,
  read: (from, offset) => from.readUIntLE(offset, 3),
  write: (to, offset, value) => void to.writeUIntLE(value, offset, 3),
};

/** A device address, written least significant byte first; as text upper case and colon-separated. */
export const address: Field<string> = {
  size: 6,
  read: (from, offset) =>
    [...from.subarray(offset, offset + 6)]
      .reverse()
      .map((byte) => byte.toString(16).padStart(2, '0').toUpperCase())
      .join(':'),
  write: (to, offset, value) => void Buffer.from(value.replaceAll(':', ''), 'hex').reverse().copy(to, offset),
};

/** Exactly `size` bytes; a shorter value is filled with zeros. */
export const bytes = (size: number): Field<Buffer> => ({
  size,
  read: (from, offset) => Buffer.from(from.subarray(offset, offset + size)),
  write: (to, offset, value) => void value.copy(to, offset, 0, size),
});

export type Fields = Readonly<Record<string, Field<never> | Field<number> | Field<string> | Field<Buffer>>>;

export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never };

export interface Layout<A> {
  readonly size: number;
  /** `from` must hold `size` bytes from its start. */
  readonly read: (from: Buffer) => A;
  readonly write: (values: A) => Buffer;
}

export const layout = <F extends Fields>(fields: F): Layout<Values<F>> => {
  const placed: { name: string; offset: number; field: Field<unknown> }[] = [];
  let size = 0;
  for (const [name, field] of Object.entries(fields)) {
    placed.push({ name, offset: size, field: field as Field<unknown> });
    size += field.size;
  }
  return {
    size,
    read: (from) =>
      Object.fromEntries(
        placed.map(({ name, offset, field }) => [name, field.read(from, offset)]),
      ) as Values<F>,
    write: (values) => {
      const to = Buffer.alloc(size);
      for (const { name, offset, field } of placed) field.write(to, offset, values[name]);
      return to;
    },
  };
};

/** Does what reads a packet; a packet shorter than its own fields says nothing. */
export const unlessShort = (read: () => void): void => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
};
