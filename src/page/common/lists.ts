import { computed, type ReadonlySignal } from '@preact/signals';

/**
 * A computed list that stays the same object while its elements stay the same. A component that lists devices is then not
 * drawn again when one device changes: Preact keeps each drawn tree while a later tree reuses a part of it.
 */
export const computedList = <A>(compute: () => readonly A[]): ReadonlySignal<readonly A[]> => {
  let list: readonly A[] = [];
  return computed(() => {
    const next = compute();
    if (next.length !== list.length || next.some((element, index) => element !== list[index])) list = next;
    return list;
  });
};
