/** Layouts of fields one behind the other: one description reads, writes and types them. */
import { firstProblem, ShortPacket, type Field, shortBytes } from './fields.js';

export type Fields = Readonly<Record<string, Field<unknown>>>;

export type Values<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer A> ? A : never };

export interface Layout<A> {
  /** The largest size, bytes. */
  readonly size: number;
  /** All possible sizes. */
  readonly sizes: readonly number[];
  /** `from` must have one of `sizes`, or be longer than the only size. @throws ShortPacket */
  read(this: void, from: Buffer): A;
  write(this: void, values: A): Buffer;
  /** The problem of the first field that has a problem. */
  problem(this: void, from: Buffer): string | undefined;
}

/** Several fields that are one value, an object. */
export const struct = <F extends Fields>(fields: F): Required<Field<Values<F>>> => {
  const placed: { readonly name: string; readonly at: number; readonly field: Field<unknown> }[] = [];
  let size = 0;
  for (const [name, field] of Object.entries(fields)) {
    placed.push({ name, at: size, field });
    size += field.size;
  }
  return {
    size,
    read: (from, offset) => {
      const values: Record<string, unknown> = {};
      for (const { name, at, field } of placed) values[name] = field.read(from, offset + at);
      return values as Values<F>;
    },
    write: (to, offset, values) => {
      for (const { name, at, field } of placed) field.write(to, offset + at, values[name]);
    },
    problem: (from, offset) => firstProblem(from, offset, placed),
  };
};

export const layout = <F extends Fields>(fields: F): Layout<Values<F>> => {
  const whole = struct(fields);
  return {
    size: whole.size,
    sizes: [whole.size],
    read: (from) => whole.read(from, 0),
    write: (values) => {
      const to = Buffer.alloc(whole.size);
      whole.write(to, 0, values);
      return to;
    },
    problem: (from) => whole.problem(from, 0),
  };
};

/** A single field that may be left out: without bytes, its value is null. */
export const orNothing = <N extends string, A>(
  name: N,
  field: Field<A>,
): Layout<Readonly<Record<N, A | null>>> => {
  const full = layout({ [name]: field }) as Layout<Readonly<Record<N, A | null>>>;
  return {
    ...full,
    sizes: [0, full.size],
    read: (from) => (from.length === 0 ? ({ [name]: null } as Readonly<Record<N, null>>) : full.read(from)),
    write: (values) => (values[name] === null ? Buffer.alloc(0) : full.write(values)),
    problem: (from) => (from.length === 0 ? undefined : full.problem(from)),
  };
};

/** A layout that must end with `tail`, which has no meaning. */
export const endingWith = <A>(before: Layout<A>, tail: Buffer): Layout<A> => {
  const { size } = before;
  return {
    size: size + tail.length,
    sizes: [size + tail.length],
    read: (from) => before.read(from.subarray(0, size)),
    write: (values) => Buffer.concat([before.write(values), tail]),
    problem: (from) =>
      before.problem(from) ??
      (from.subarray(size).equals(tail)
        ? undefined
        : `the bytes must end with ${shortBytes(tail)}, got ${shortBytes(from)}`),
  };
};

/** Reads a packet; ignores a packet shorter than its fields. */
export const unlessShort = (read: () => void): void => {
  try {
    read();
  } catch (error) {
    if (!(error instanceof ShortPacket)) throw error;
  }
};
