/** Access to operations. */
import type { FailureCode } from './failures.js';

/** The rights of a token: to read, or all. */
export type Scope = 'read' | 'full';

/** The clients that may call an operation: those with a token of this scope, or anybody. */
export type Access = 'open' | Scope;

/** The errors of clients without the right token. */
export const BY_ACCESS = {
  open: [],
  read: ['unauthorized'],
  full: ['unauthorized', 'forbidden'],
} as const satisfies Readonly<Record<Access, readonly FailureCode[]>>;
