/** Memory that shares count against; `most`: bytes that all of them together may have. */
export const openBudget = (most: number) => {
  let held = 0;
  return {
    most,
    /** Bytes that they have. */
    get held(): number {
      return held;
    },
    /** A share of nothing so far. */
    share: () => {
      let own = 0;
      /** False, and nothing changes, if there is no room for so many bytes. */
      const hold = (bytes: number): boolean => {
        if (bytes > own && held - own + bytes > most) return false;
        held += bytes - own;
        own = bytes;
        return true;
      };
      return { hold, release: (): void => void hold(0) };
    },
  };
};

export type Budget = ReturnType<typeof openBudget>;
export type Share = ReturnType<Budget['share']>;
