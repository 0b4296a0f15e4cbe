/** Messages of Protocol Buffers, described by tables from which both their types and their bytes follow. */
import { create, createFileRegistry, fromBinary, toBinary, type DescMessage } from '@bufbuild/protobuf';
import {
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
  FileDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import * as E from 'fp-ts/lib/Either.js';
import { messageOf } from '../../system/system-error.js';

/** A field of a message; `value` has its type, for the compiler alone. */
export interface Field<A = unknown> {
  readonly number: number;
  readonly type: Type;
  readonly repeated: boolean;
  /** The fields of a message in a message. */
  readonly nested?: Fields;
  /** Bounds of a number, or of the length of bytes and texts. */
  readonly least?: number;
  readonly most?: number;
  /** The most values of a repeated field. */
  readonly mostValues?: number;
  readonly value?: A;
}

export type Fields = Readonly<Record<string, Field>>;

/** A decoded message: fields that were not sent are 0, false or empty. */
export type Message<F extends Fields> = { readonly [K in keyof F]: NonNullable<F[K]['value']> };

const scalar =
  <A>(type: Type) =>
  (number: number): Field<A> => ({ number, type, repeated: false });

export const string = scalar<string>(Type.STRING);
export const bytes = scalar<Uint8Array>(Type.BYTES);
export const bool = scalar<boolean>(Type.BOOL);
export const uint32 = scalar<number>(Type.UINT32);
export const int32 = scalar<number>(Type.INT32);
export const sint32 = scalar<number>(Type.SINT32);
export const uint64 = scalar<bigint>(Type.UINT64);

/** Limits a number, or the length of bytes or of a text. */
export const bounded = <A>(field: Field<A>, most: number, least = 0): Field<A> => ({
  ...field,
  ...{ least, most },
});

export const repeated = <A>({ value: _, ...field }: Field<A>, mostValues?: number): Field<readonly A[]> => ({
  ...field,
  repeated: true,
  ...(mostValues !== undefined && { mostValues }),
});

export const nested = <F extends Fields>(number: number, fields: F): Field<Message<F>> => ({
  ...{ number, type: Type.MESSAGE, repeated: false },
  nested: fields,
});

/** The reason why a message is refused. */
export interface MessageError {
  /** `Excess`: the message can be read, but a field exceeds its bounds. */
  readonly _tag: 'BadFrame' | 'Excess';
  readonly reason: string;
}

/** Writes and reads the messages of one table. */
export interface Codec<F extends Fields> {
  readonly encode: (message: Partial<Message<F>>) => Uint8Array;
  /** Ignores fields that the table lacks. */
  readonly decode: (encoded: Uint8Array) => E.Either<MessageError, Message<F>>;
}

const NAME = 'Message';

/** `path`: the full name, as in the types of fields. */
const descriptor = (name: string, path: string, fields: Fields): object => ({
  name,
  field: Object.entries(fields).map(([field, { number, type, repeated: many, nested: inner }]) => ({
    ...{ name: field, number, type, label: many ? Label.REPEATED : Label.OPTIONAL },
    ...(inner !== undefined && { typeName: `${path}.${field}` }),
  })),
  nestedType: Object.entries(fields).flatMap(([field, { nested: inner }]) =>
    inner === undefined ? [] : [descriptor(field, `${path}.${field}`, inner)],
  ),
});

const descriptionOf = (fields: Fields): DescMessage => {
  const file = create(FileDescriptorProtoSchema, {
    ...{ name: 'message.proto', syntax: 'proto3' },
    messageType: [descriptor(NAME, `.${NAME}`, fields)],
  });
  const message = createFileRegistry(file, () => undefined).getMessage(NAME);
  if (message === undefined) throw new Error('a table of fields makes no message');
  return message;
};

/** The value of a number, or the length of a text or of bytes. */
const sizeOf = (value: unknown): number =>
  typeof value === 'string' || value instanceof Uint8Array ? value.length : Number(value);

const sizeText = (value: unknown): string =>
  typeof value === 'string' || value instanceof Uint8Array ? `of length ${value.length}` : String(value);

/** A field with bounds, or with bounded fields in its messages. */
interface Check {
  readonly name: string;
  readonly field: Field;
  readonly inner: readonly Check[];
}

const checksOf = (fields: Fields): readonly Check[] =>
  Object.entries(fields)
    .map(([name, field]) => ({ name, field, inner: checksOf(field.nested ?? {}) }))
    .filter(
      ({ field, inner }) => field.most !== undefined || field.mostValues !== undefined || inner.length > 0,
    );

/** Such as `services.handle 70000, at most 65535`; undefined: all fields are within their bounds. */
const excessIn = (checks: readonly Check[], message: Message<Fields>): string | undefined => {
  for (const { name, field, inner } of checks) {
    const { repeated: many, least = -Infinity, most = Infinity, mostValues = Infinity } = field;
    const value = message[name];
    const values = many ? (value as readonly unknown[]) : value === undefined ? [] : [value];
    if (values.length > mostValues) return `${name} ${values.length} times, at most ${mostValues}`;
    for (const item of values) {
      const size = sizeOf(item);
      if (size > most) return `${name} ${sizeText(item)}, at most ${most}`;
      if (size < least) return `${name} ${sizeText(item)}, at least ${least}`;
      const excess = inner.length === 0 ? undefined : excessIn(inner, item as Message<Fields>);
      if (excess !== undefined) return `${name}.${excess}`;
    }
  }
  return undefined;
};

export const codecOf = <F extends Fields>(fields: F): Codec<F> => {
  let cached: DescMessage | undefined;
  const checks = checksOf(fields);
  const description = (): DescMessage => (cached ??= descriptionOf(fields));
  return {
    encode: (message) => toBinary(description(), create(description(), message)),
    decode: (encoded) => {
      try {
        const message = fromBinary(description(), encoded) as unknown as Message<F>;
        const excess = excessIn(checks, message);
        return excess === undefined ? E.right(message) : E.left({ _tag: 'Excess', reason: `with ${excess}` });
      } catch (thrown) {
        return E.left({ _tag: 'BadFrame', reason: `cannot be read: ${messageOf(thrown)}` });
      }
    },
  };
};
