/** The port of the API unless another is named; in a file of its own, as flags need it without the API. */
export const DEFAULT_PORT = 6053;
