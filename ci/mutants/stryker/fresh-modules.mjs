/** Hooks of Node's module loader: what a module of a load imports belongs to the same load, packages aside. */

/** The query of the URLs of modules that names the load they belong to. */
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
