/** JSON documents: the kinds of their values, and their references. */
import type { Json, JsonRecord } from 'fp-ts/lib/Json.js';

type Path = readonly string[];

export const isArray = (value: Json | undefined): value is readonly Json[] => Array.isArray(value);

export const isRecord = (value: Json | undefined): value is JsonRecord =>
  typeof value === 'object' && value !== null && !isArray(value);

const at = (document: Json, path: Path): Json | undefined =>
  path.reduce<Json | undefined>((value, key) => (isRecord(value) ? value[key] : undefined), document);

/**
 * The part of a document at a path, in which schemas replace references of the form `#/components/schemas/Name`.
 * A recursive reference stays, as does one without a target. Null if the document has no such part.
 */
export const dereferenced = (document: Json, path: Path): Json => {
  const resolve = (value: Json, parents: Path): Json => {
    if (isArray(value)) return value.map((item) => resolve(item, parents));
    if (!isRecord(value)) return value;
    const { $ref, ...siblings } = value;
    if (typeof $ref === 'string' && !parents.includes($ref)) {
      const target = at(document, $ref.split('/').slice(1));
      if (isRecord(target)) return resolve({ ...target, ...siblings }, [...parents, $ref]);
    }
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, parents)]));
  };
  return resolve(at(document, path) ?? null, []);
};
