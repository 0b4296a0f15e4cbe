/** Hooks of Node's module loader: the imports of a module belong to the same load as the module, except for packages. */

/** The query of a module's URL with the number of its load. */
export const LOAD = 'load';

const loadOf = (address) => (address?.startsWith('file:') ? new URL(address).searchParams.get(LOAD) : null);

export const resolve = async (specifier, context, next) => {
  const resolved = await next(specifier, context);
  const load = loadOf(context.parentURL);
  if (load === null || !resolved.url.startsWith('file:') || resolved.url.includes('/node_modules/')) {
    return resolved;
  }
  return { ...resolved, url: `${resolved.url}?${LOAD}=${load}` };
};
