/** Where people go on once what had the focus is gone. */

const canHaveFocus = (element: Element): boolean => element.isConnected && !element.matches(':disabled');

/** Gives focus to the nearest part that is left around what had it, when that goes away or is disabled. */
export const keepFocus = (within: HTMLElement): void => {
  /** The element that had focus, and those around it. */
  let path: readonly EventTarget[] = [];
  within.addEventListener('focusin', (event) => (path = event.composedPath()));

  const check = (): void => {
    const [last, ...around] = path.filter((target) => target instanceof HTMLElement);
    if (last === undefined || canHaveFocus(last) || document.activeElement !== document.body) return;
    const nearest = around.find(canHaveFocus);
    if (nearest === undefined) return;
    nearest.tabIndex = -1;
    nearest.focus();
  };
  new MutationObserver(check).observe(within, {
    subtree: true,
    childList: true,
    attributeFilter: ['disabled'],
  });
};

/** Focuses the first of `ids` that is there once all is drawn. */
export const goOnAt = (...ids: readonly string[]): void => {
  requestAnimationFrame(() => {
    const found = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
    found?.focus();
  });
};
