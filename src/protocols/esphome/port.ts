/** The default port of the API; in a separate file, since flags need it without the API. */
export const DEFAULT_PORT = 6053;
