/** Who may ask for what. */
import type { FailureCode } from './failures.js';

/** What a token allows: to read what is there, or all. */
export type Scope = 'read' | 'full';

/** Who may ask for something: those with a token of this scope, or anybody. */
export type Access = 'open' | Scope;

/** What those without the right token are answered. */
export const BY_ACCESS = {
  open: [],
  read: ['unauthorized'],
  full: ['unauthorized', 'forbidden'],
} as const satisfies Readonly<Record<Access, readonly FailureCode[]>>;
