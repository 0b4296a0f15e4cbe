/** Memory that counts against a budget. */
export interface Share {
  /** False, and nothing changes, if there is no room for so many bytes. */
  readonly hold: (bytes: number) => boolean;
  readonly release: () => void;
}

export interface Budget {
  /** Bytes that all shares together may have. */
  readonly most: number;
  /** Bytes that they have. */
  readonly held: number;
  /** A share of nothing so far. */
  readonly share: () => Share;
}

export const openBudget = (most: number): Budget => {
  let held = 0;
  return {
    most,
    get held() {
      return held;
    },
    share: () => {
      let own = 0;
      const hold = (bytes: number): boolean => {
        if (bytes > own && held - own + bytes > most) return false;
        held += bytes - own;
        own = bytes;
        return true;
      };
      return { hold, release: () => void hold(0) };
    },
  };
};
