/** The fields that a step names, each with its value: `"die" "d20", "face" 3 and "charging" false`. */
export const fieldsIn = (text: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    [...text.matchAll(/"(\w+)" ("[^"]*"|-?\d+|true|false|null)/g)].map(([, name, value]) => [
      String(name),
      JSON.parse(String(value)) as unknown,
    ]),
  );

/** The names that a step lists: `"address", "name" and "rssi"`. */
export const quoted = (names: string): string[] =>
  [...names.matchAll(/"([^"]+)"/g)].map(([, name]) => name ?? '');
