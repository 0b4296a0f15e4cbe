/** The `n`th address behind its first three pairs: `D1:CE:00:00:00:01` of `D1:CE:00` and 1. */
export const nthAddress = (prefix: string, n: number): string =>
  [prefix, ...(n.toString(16).padStart(6, '0').toUpperCase().match(/../g) ?? [])].join(':');

/** `00000A` of `D1:CE:00:00:00:0A`. */
export const lastSixDigits = (address: string): string => address.replaceAll(':', '').slice(-6);
