/** Where people go on once what had the focus is gone. */

/** Focuses the first of `ids` that is there once all is drawn. */
export const goOnAt = (...ids: readonly string[]): void => {
  requestAnimationFrame(() => {
    const found = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
    found?.focus();
  });
};
