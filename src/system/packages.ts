/** Packages: ones that an installation may leave out (`npm install --omit=optional`), and how others are loaded. */
import Module, { createRequire } from 'node:module';

/** The loader behind `require`. CommonJS allows to replace it. */
export const loader = Module as unknown as {
  _load: (request: string, parent: unknown, isMain: boolean) => unknown;
};

const DEBUG = 'debug';
const silent = () => () => undefined;

/**
 * Loads the CommonJS module at `path`. Unless the environment has `DEBUG`, the module and all that it loads do without the package
 * `debug`: noble, bleno and MQTT.js call it many times for each packet, and that takes time even where nothing is written.
 */
export const requireQuietly = (path: string): unknown => {
  const load = loader._load;
  loader._load = (request, parent, isMain) =>
    request === DEBUG && process.env['DEBUG'] === undefined
      ? silent
      : load.call(loader, request, parent, isMain);
  try {
    // Without a parent: `require` would keep all it has ever loaded, forgotten or not.
    return loader._load(path, undefined, false);
  } finally {
    loader._load = load;
  }
};

const require = createRequire(import.meta.url);

/** The reason why what needs the package `name` cannot be done, as the end of a message; undefined if it is installed. */
export const missingPackage = (name: string): string | undefined => {
  try {
    require.resolve(name);
    return undefined;
  } catch {
    return `it needs the package ${name}, which is not installed: npm install ${name}`;
  }
};
