/** The reason why a radio cannot be used, and its fix. */
export interface Problem {
  readonly what: string;
  /** Undefined: it may work later. */
  readonly fix?: string;
}

export const problemText = ({ what, fix }: Problem): string => (fix === undefined ? what : `${what}: ${fix}`);
