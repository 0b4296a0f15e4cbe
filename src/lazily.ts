/** A value that is made when it is first needed, and kept. */
export const lazily = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => (made ??= { value: make() }).value;
};
