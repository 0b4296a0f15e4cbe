/** What the breaks of both servers are made of. */
import { isObject, type Answered, type Break, type Json, type JsonObject } from './breaking-proxy.js';

export interface NamedBreak {
  /** The line of the seed that it breaks. */
  readonly tag: string;
  readonly what: string;
  readonly how: Break;
  /** How the name of a scenario that notices begins, where those before it take long; else all of the line run. */
  readonly scenario: string | undefined;
}

export const breaks = (
  tag: string,
  ways: Readonly<Record<string, Break>>,
  scenario?: string,
): readonly NamedBreak[] => Object.entries(ways).map(([what, how]) => ({ tag, what, how, scenario }));

/** Every eighth break, for `npm test`; `npm run test:all` runs the others too. */
export const sampled = (all: readonly NamedBreak[]): readonly NamedBreak[] =>
  all.filter((_, index) => index % 8 === 0);

export const unsampled = (all: readonly NamedBreak[]): readonly NamedBreak[] =>
  all.filter((_, index) => index % 8 !== 0);

export const isArray = (json: Json): json is readonly Json[] => Array.isArray(json);

export const without = (json: Json, field: string): Json =>
  isObject(json) ? Object.fromEntries(Object.entries(json).filter(([name]) => name !== field)) : json;

export const renamed = (json: Json, from: string, to: string): Json =>
  isObject(json) && from in json ? { ...(without(json, from) as JsonObject), [to]: json[from] } : json;

/** Another status for what had one. */
export const status = (from: number, to: number, path = '/'): Break => ({
  answer: (answered, asked): Answered =>
    answered.status === from && asked.path.startsWith(path) ? { ...answered, status: to } : answered,
});
