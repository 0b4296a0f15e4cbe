/** Saves files and moves the focus. */

export const save = (content: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
};

const canHaveFocus = (element: Element): boolean => element.isConnected && !element.matches(':disabled');

/** Moves the focus to the nearest remaining ancestor when the focused element is removed or disabled. */
export const keepFocus = (within: HTMLElement): void => {
  /** The element that last had the focus, and its ancestors. */
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

/** Moves the focus to the first existing element of `ids` after the next drawing. */
export const goOnAt = (...ids: readonly string[]): void => {
  requestAnimationFrame(() => {
    const next = ids.map((id) => document.getElementById(id)).find((element) => element !== null);
    next?.focus();
  });
};
