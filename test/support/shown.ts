/** The output that a page shows, compared with the output. */

/** Text that differs from run to run: ids of sessions, of requests, times, how a die lies, and how far something is. */
const VARYING: readonly (readonly [shown: RegExp, any: string])[] = [
  [/(?<=")[\w-]{22}(?=")/g, '[\\w-]{22}'],
  [/[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g, '[\\da-f-]{36}'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '[\\d-]+T[\\d:.]+Z'],
  [/(?<="[xyz]":)-?\d+/g, '-?\\d+'],
  [/(?<="(?:elapsed_ms|injected|ms|newest)":)\d+(?:\.\d+)?/g, '[\\d.]+'],
  [/(?<=notifications )\d+/g, '\\d+'],
  [/…/g, '.*'],
];

/** A pattern of the whole of `shown`. */
export const patternOf = (shown: string): RegExp => {
  const marks: string[] = [];
  const marked = VARYING.reduce(
    (text, [varying, any]) => text.replaceAll(varying, () => `\uE000${marks.push(any) - 1}\uE001`),
    shown,
  );
  const escaped = marked.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(
    `^${escaped.replaceAll(/\uE000(\d+)\uE001/g, (_, at: string) => marks[Number(at)] ?? '')}$`,
    's',
  );
};

/** Whether `value`, which `key` names, has all that the page shows of it. */
export const holds = (value: unknown, shown: unknown, key = ''): boolean => {
  if (typeof shown !== 'object' || shown === null) {
    const text = (scalar: unknown): string => `"${key}":${JSON.stringify(scalar)}`;
    return typeof value === typeof shown && patternOf(text(shown)).test(text(value));
  }
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(shown).every(([name, part]) => holds(Reflect.get(value, name), part, name));
};
