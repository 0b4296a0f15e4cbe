/** A value that is made when it is first asked for, and kept; what it was made of is let go. */
export const lazily = <A>(make: () => A): (() => A) => {
  let state: { readonly make: () => A } | { readonly value: A } = { make };
  return () => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
};
