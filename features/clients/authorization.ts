/** The tokens of servers that others started, as their own programs take them: from the environment. */
const VARIABLES = {
  'dice server': 'AIRBENCH_TOKEN',
  'clock server': 'AIRBENCH_TOKEN',
  'control API': 'AIRBENCH_CONTROL_TOKEN',
} as const;

export type ServerName = keyof typeof VARIABLES;

/** No server that the features start asks for a token, whatever the environment has for others. */
export const NO_TOKENS = {
  AIRBENCH_TOKEN: undefined,
  AIRBENCH_TOKEN_FILE: undefined,
  AIRBENCH_CONTROL_TOKEN: undefined,
  AIRBENCH_CONTROL_TOKEN_FILE: undefined,
} as const;

/** By host and port. */
const tokens = new Map<string, string>();

/** Has all clients of the server at `url` send its token, if the environment has one. */
export const knowServer = (name: ServerName, url: string): void => {
  const token = process.env[VARIABLES[name]];
  if (token !== undefined) tokens.set(new URL(url).host, token);
};

/** The headers that show the server at `url` who asks. */
export const authorizationFor = (url: string): Readonly<Record<string, string>> => {
  const token = tokens.get(new URL(url).host);
  return token === undefined ? {} : { authorization: `Bearer ${token}` };
};
