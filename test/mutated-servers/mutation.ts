/** Parts of the mutations of both servers. */
import { isObject, type Answer, type Change, type Json, type JsonObject } from './mutating-proxy.js';

export interface Mutation {
  /** The tag of the broken line of the contract. */
  readonly tag: string;
  readonly defect: string;
  readonly change: Change;
  /** The beginning of the name of the only scenario to run, if the other scenarios of the line take long. */
  readonly scenario: string | undefined;
  /** The reason why no client can notice it. */
  readonly excluded?: string;
}

export const mutations = (
  tag: string,
  changes: Readonly<Record<string, Change>>,
  scenario?: string,
): readonly Mutation[] =>
  Object.entries(changes).map(([defect, change]) => ({ tag, defect, change, scenario }));

/** A change of a value. A value of another type stays unchanged. */
export type Edit = (json: Json) => Json;

const object = (change: (json: JsonObject) => Json): Edit => {
  return (json) => (isObject(json) ? change(json) : json);
};

const array = (change: (json: readonly Json[]) => Json): Edit => {
  return (json) => (Array.isArray(json) ? change(json as readonly Json[]) : json);
};

export const always = (json: Json): Edit => {
  return () => json;
};
export const set = (fields: JsonObject): Edit => object((json) => ({ ...json, ...fields }));
export const edit = (field: string, change: Edit): Edit =>
  object((json) => ({ ...json, [field]: change(json[field]) }));
export const drop = (field: string): Edit =>
  object((json) => Object.fromEntries(Object.entries(json).filter(([name]) => name !== field)));
export const rename = (from: string, to: string): Edit =>
  object((json) => (from in json ? { ...(drop(from)(json) as JsonObject), [to]: json[from] } : json));
export const wrap = (field: string): Edit => {
  return (json) => ({ [field]: json });
};
export const each = (change: Edit): Edit => array((json) => json.map(change));
export const add = (...more: readonly Json[]): Edit => array((json) => [...json, ...more]);
export const reverse: Edit = array((json) => [...json].reverse());
export const lowerCase: Edit = (json) => String(json).toLowerCase();

/** A change of the successful answers to requests whose path fits. */
export const answers = (path: RegExp, change: Edit): Change => ({
  answer: (answered, asked) =>
    path.test(asked.path) && answered.status === 200
      ? { ...answered, json: change(answered.json) }
      : answered,
});

/** A change of the messages that fit. */
export const messages = (fits: (message: JsonObject) => boolean, change: Edit): Change => ({
  message: (message) => [fits(message) ? change(message) : message],
});

export const lost = (field: string, value: Json): Change => ({
  message: (message) => (message[field] === value ? [] : [message]),
});

export const doubled = (field: string, name: string): Change => ({
  message: (message) => (message[field] === name ? [message, message] : [message]),
});

/** Replaces the status `from` of answers by `to`. */
export const status = (from: number, to: number, path = '/'): Change => ({
  answer: (answered, asked): Answer =>
    answered.status === from && asked.path.startsWith(path) ? { ...answered, status: to } : answered,
});
