/** Names of codes: `write not permitted` of the key `writeNotPermitted`; `others`, by key, are better than their keys. */
export const namesOf = (
  codes: Readonly<Record<string, number>>,
  others: Readonly<Record<string, string>>,
): ReadonlyMap<number, string> =>
  new Map(
    Object.entries(codes).map(([key, code]) => [
      code,
      others[key] ?? key.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`),
    ]),
  );
