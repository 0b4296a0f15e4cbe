/** The clients of a server: tokens, each with a name and a scope. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Scope } from '../contract/index.js';

/** A token without its secret. */
export interface Principal {
  readonly name: string;
  readonly scope: Scope;
}

export interface Token extends Principal {
  readonly token: string;
}

export interface Access {
  /** Whether tokens are set at all. */
  readonly required: boolean;
  /** Finds the principal of a token in constant time. Without tokens, every client is `anyone`, with all rights. */
  readonly identify: (token: string | undefined) => Principal | undefined;
  /** Whether the token or the scope of `principal` has changed since it was identified. */
  readonly isRevoked: (principal: Principal) => boolean;
  /** Calls `listener` after each change of the tokens, until the returned function is called. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Access whose tokens can be changed. */
export interface ChangeableAccess extends Access {
  readonly replace: (tokens: readonly Token[]) => void;
}

const ANYONE: Principal = { name: 'anyone', scope: 'full' };

/** The access of a server without tokens. */
export const OPEN_ACCESS: Access = {
  required: false,
  identify: () => ANYONE,
  isRevoked: () => false,
  onChange: () => () => undefined,
};

/** Makes texts equally long, as a comparison in constant time requires. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

interface Entry {
  readonly digest: Buffer;
  readonly principal: Principal;
}

const keyOf = (digested: Buffer): string => digested.toString('base64');

/** Access for clients with one of `tokens`. */
export const tokenAccess = (tokens: readonly Token[]): ChangeableAccess => {
  let entries: readonly Entry[] = [];
  const listeners = new Set<() => void>();

  /** An unchanged token keeps its principal, so that its connections stay. */
  const update = (changed: readonly Token[]): void => {
    const before = new Map(entries.map((entry) => [keyOf(entry.digest), entry]));
    entries = changed.map(({ name, scope, token }) => {
      const digested = digest(token);
      const same = before.get(keyOf(digested));
      return same?.principal.name === name && same.principal.scope === scope
        ? same
        : { digest: digested, principal: { name, scope } };
    });
  };

  update(tokens);
  return {
    required: true,
    identify: (token) => {
      if (token === undefined) return undefined;
      const digested = digest(token);
      // Compares all tokens, so that the time does not depend on the match.
      const [entry] = entries.filter((candidate) => timingSafeEqual(candidate.digest, digested));
      return entry?.principal;
    },
    isRevoked: (principal) => entries.every((candidate) => candidate.principal !== principal),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace: (changed) => {
      update(changed);
      for (const listener of listeners) listener();
    },
  };
};
