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
  /** Whose token it is, in constant time. Where no tokens are set, everybody is `anyone`, with all rights. */
  readonly identify: (token: string | undefined) => Principal | undefined;
  /** Whether `principal`, as it was identified, has lost its token or its scope meanwhile. */
  readonly isRevoked: (principal: Principal) => boolean;
  /** Calls back when tokens have changed; the returned function ends it. */
  readonly onChange: (listener: () => void) => () => void;
}

/** Access whose tokens can be changed. */
export interface ChangeableAccess extends Access {
  readonly replace: (tokens: readonly Token[]) => void;
}

const ANYONE: Principal = { name: 'anyone', scope: 'full' };

/** For a server without tokens. */
export const OPEN_ACCESS: Access = {
  required: false,
  identify: () => ANYONE,
  isRevoked: () => false,
  onChange: () => () => undefined,
};

/** Texts of any length become equally long, which is what a comparison in constant time needs. */
const digest = (text: string): Buffer => createHash('sha256').update(text).digest();

interface Known {
  readonly digest: Buffer;
  readonly principal: Principal;
}

const keyOf = (digested: Buffer): string => digested.toString('base64');

/** Access for those who have one of `tokens`. */
export const tokenAccess = (tokens: readonly Token[]): ChangeableAccess => {
  let known: readonly Known[] = [];
  const listeners = new Set<() => void>();

  /** An unchanged token keeps its principal, so that its connections stay. */
  const learn = (changed: readonly Token[]): void => {
    const before = new Map(known.map((one) => [keyOf(one.digest), one]));
    known = changed.map(({ name, scope, token }) => {
      const digested = digest(token);
      const same = before.get(keyOf(digested));
      return same?.principal.name === name && same.principal.scope === scope
        ? same
        : { digest: digested, principal: { name, scope } };
    });
  };

  learn(tokens);
  return {
    required: true,
    identify: (token) => {
      if (token === undefined) return undefined;
      const digested = digest(token);
      // All of them, whichever it is.
      const [found] = known.filter((candidate) => timingSafeEqual(candidate.digest, digested));
      return found?.principal;
    },
    isRevoked: (principal) => known.every((candidate) => candidate.principal !== principal),
    onChange: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    replace: (changed) => {
      learn(changed);
      for (const listener of listeners) listener();
    },
  };
};
