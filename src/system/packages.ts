/** Packages: optional ones, which an installation may lack (`npm install --omit=optional`), and the loading of others. */
import Module, { createRequire } from 'node:module';

/** The loader behind `require`, which CommonJS programs may replace. */
export const loader = Module as unknown as {
  _load: (request: string, parent: unknown, isMain: boolean) => unknown;
};

const DEBUG = 'debug';
const silent = () => () => undefined;

/**
 * Loads the CommonJS module at `path`. Unless the environment has `DEBUG`, the module and everything that it loads do without the package
 * `debug`: noble, bleno and MQTT.js call it many times for each packet, and that takes time even if it writes nothing.
 */
export const requireQuietly = (path: string): unknown => {
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    request === DEBUG && process.env['DEBUG'] === undefined
      ? silent
      : load.call(loader, request, parent, isMain);
  try {
    // Without a parent, which would keep all modules that it has ever loaded.
    return loader._load(path, undefined, false);
  } finally {
    loader._load = load;
  }
};

const require = createRequire(import.meta.url);

/** The end of a message about a function that needs the package `name`; undefined if the package is installed. */
export const missingPackage = (name: string): string | undefined => {
  try {
    require.resolve(name);
    return undefined;
  } catch {
    return `it needs the package ${name}, which is not installed: npm install ${name}`;
  }
};
