/** What a codec takes and gives, as JSON Schema (draft 2020-12): for people's documents and other programs. */
import type { Json } from 'fp-ts/lib/Json.js';
import type * as t from 'io-ts';

/** Keywords that stand beside others; `title` names a schema that documents keep once and refer to. */
export type JsonSchema = Readonly<Record<string, Json | readonly Json[]>>;

export interface Described {
  readonly schema: {
    /** What `decode` takes, and nothing else. */
    readonly takes: JsonSchema;
    /** What `encode` gives. */
    readonly gives: JsonSchema;
  };
}

export type Codec<A, O = A> = t.Type<A, O> & Described;

/** Any codec with a schema. */
export type AnyCodec = t.Mixed & Described;

/** The fields of an object. */
export type Fields = Readonly<Record<string, AnyCodec>>;

/** Adds the schema that says what `codec` does; `gives` if `encode` gives something else than `decode` takes. */
export const described = <C extends object>(
  codec: C,
  takes: JsonSchema,
  gives: JsonSchema = takes,
): C & Described => Object.assign(codec, { schema: { takes, gives } });
