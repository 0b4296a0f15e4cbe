/** A request as a command for a shell. */
import type { Sent } from '../api.js';
import { token } from '../token.js';

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The command takes the token from the environment. */
const AUTHORIZATION = ` -H "authorization: Bearer $AIRBENCH_CONTROL_TOKEN"`;

export const curlOf = ({ method, url, body }: Sent): string => {
  const usual = body === undefined ? 'GET' : 'POST';
  return [
    'curl -s',
    method === usual ? '' : ` -X ${method}`,
    ` ${url.href.replaceAll('%3A', ':')}`,
    token.value === null ? '' : AUTHORIZATION,
    body === undefined ? '' : ` -H 'content-type: application/json' -d ${quoted(body)}`,
  ].join('');
};
