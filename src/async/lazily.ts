/** A value that is made when it is first needed, and kept; what it was made of is released. */
export const lazily = <A>(make: () => A): (() => A) => {
  let state: { readonly make: () => A } | { readonly value: A } = { make };
  return () => {
    if ('make' in state) state = { value: state.make() };
    return state.value;
  };
};
