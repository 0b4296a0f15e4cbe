/** Parts of the mutations of both servers. */
import { isObject, type Answered, type Change, type Json, type JsonObject } from './mutating-proxy.js';

export interface Mutation {
  /** The line of the seed that it breaks. */
  readonly tag: string;
  readonly what: string;
  readonly how: Change;
  /** How the name of a scenario that notices begins, where those before it take long; else all of the line run. */
  readonly scenario: string | undefined;
}

export const mutations = (
  tag: string,
  ways: Readonly<Record<string, Change>>,
  scenario?: string,
): readonly Mutation[] => Object.entries(ways).map(([what, how]) => ({ tag, what, how, scenario }));

/** Every eighth mutation, for `npm run e2e`; `npm run slow` runs the others. */
export const sampled = (all: readonly Mutation[]): readonly Mutation[] =>
  all.filter((_, index) => index % 8 === 0);

export const unsampled = (all: readonly Mutation[]): readonly Mutation[] =>
  all.filter((_, index) => index % 8 !== 0);

export const isArray = (json: Json): json is readonly Json[] => Array.isArray(json);

export const without = (json: Json, field: string): Json =>
  isObject(json) ? Object.fromEntries(Object.entries(json).filter(([name]) => name !== field)) : json;

export const renamed = (json: Json, from: string, to: string): Json =>
  isObject(json) && from in json ? { ...(without(json, from) as JsonObject), [to]: json[from] } : json;

/** Another status for what had one. */
export const status = (from: number, to: number, path = '/'): Change => ({
  answer: (answered, asked): Answered =>
    answered.status === from && asked.path.startsWith(path) ? { ...answered, status: to } : answered,
});
