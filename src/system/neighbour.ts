/** Limit for the answer of the program on a port, ms. */
const NEIGHBOUR_MS = 3_000;

/** The airbench program at this address, such as `http://127.0.0.1:3000`: `dice server`, `clock server` or `control API`. Undefined: another program. */
export const airbenchAt = async (address: string): Promise<string | undefined> => {
  try {
    const url = new URL('/openapi.json', address);
    const response = await fetch(url, { signal: AbortSignal.timeout(NEIGHBOUR_MS), redirect: 'error' });
    return /"title":"airbench (dice server|clock server|control API)"/.exec(await response.text())?.[1];
  } catch {
    return undefined;
  }
};
