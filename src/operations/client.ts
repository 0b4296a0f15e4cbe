import * as E from 'fp-ts/lib/Either.js';
import type { Principal } from '../access/index.js';
import type { Access } from '../contract/index.js';
import type { ServerError } from './errors.js';

/** The sender of a request. */
export interface Client {
  /** Its key for the limit of requests: its token, its network or its broker. */
  readonly countedAs: string;
  /** The owner of its token. Left: it has none that is known, or none any more. */
  readonly principal: () => E.Either<ServerError, Principal>;
}

/** Whether `client` may ask now for what needs `access`. */
export const authorize = (client: Client, access: Access): E.Either<ServerError, void> => {
  if (access === 'open') return E.right(undefined);
  const principal = client.principal();
  if (E.isLeft(principal)) return principal;
  const { name, scope } = principal.right;
  return access === 'full' && scope === 'read'
    ? E.left({ _tag: 'Forbidden', code: 'forbidden', message: `the token of "${name}" may only read` })
    : E.right(undefined);
};
