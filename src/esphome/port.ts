/** The port of the API unless another is named. */
export const DEFAULT_PORT = 6053;
