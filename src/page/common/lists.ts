import { computed, type ReadonlySignal } from '@preact/signals';

/**
 * A computed list, another one only when it has other elements. What lists devices by it is not drawn again when one of
 * them changes: Preact keeps each tree it has drawn for as long as a part of it was passed on to the next.
 */
export const computedList = <A>(compute: () => readonly A[]): ReadonlySignal<readonly A[]> => {
  let list: readonly A[] = [];
  return computed(() => {
    const next = compute();
    if (next.length !== list.length || next.some((element, index) => element !== list[index])) list = next;
    return list;
  });
};
