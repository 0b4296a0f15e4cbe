/** The allowed answers of the servers, by their documentation. */
import { readPage, sectionIn } from '../support/documents.js';

/** Status and code of each row of a table of errors: `| 404 | \`not_connected\` | …`. */
const errorsIn = (page: string, heading: string): readonly [string, number][] =>
  [...sectionIn(readPage(page), heading).matchAll(/^\| (\d{3}) +\| `(\w+)`/gm)].map(
    ([, status, code = '']) => [code, Number(status)],
  );

const ALLOWED = {
  dice: new Map(errorsIn('docs/dice-api.md', '## Errors')),
  clock: new Map([
    ...errorsIn('docs/clock-api.md', '## Errors'),
    ...errorsIn('docs/dice-api.md', '### Errors of both servers'),
  ]),
} as const;

/** The message and the code of an error answer. */
export const failureIn = (body: unknown): { readonly error: unknown; readonly code: string } => {
  const { error, code = 'none' } = Object(body) as { readonly error?: unknown; readonly code?: unknown };
  return { error, code: String(code) };
};

/** Why an error answer is not one of the contract's; undefined for a typed one. The WebSocket has no status. */
export const wrongError = (
  server: keyof typeof ALLOWED,
  status: number | undefined,
  code: unknown,
  message: unknown,
): string | undefined => {
  const due = ALLOWED[server].get(String(code));
  if (due === undefined || code === 'internal_error') return `the code ${String(code)} (${String(message)})`;
  if (status !== undefined && status !== due) return `status ${status} with ${String(code)}`;
  return typeof message === 'string' && message.length > 10 ? undefined : `no message with ${String(code)}`;
};
