import { existsSync, readFileSync } from 'node:fs';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { cached } from '../../src/linux/cache.js';
import { execute, type Execution } from '../../src/linux/program.js';

const NATIVE = '@abandonware/bluetooth-hci-socket';
/** The command of its install script. */
const COMPILER = '@mapbox/node-pre-gyp';

/**
 * A folder with `airbench/node_modules`: the packages that the servers need at runtime, copied, with the native module for Bluetooth adapters compiled:
 * as `npm run native` does it, but in the cache, so that the project's own folder stays without.
 */
export const makeRuntime = (execution: Execution): Promise<string> => {
  const lock = readFileSync('package-lock.json', 'utf8');
  return cached('runtime', [lock, process.version], async (folder) => {
    const home = join(folder, 'airbench');
    for (const path of productionPackages(lock)) {
      await cp(path, join(home, path), { recursive: true, dereference: true });
    }
    await cp('package.json', join(home, 'package.json'));
    await execute('npm', ['rebuild', '--ignore-scripts=false', COMPILER, NATIVE], {
      ...execution,
      cwd: home,
    });
    const module = join(home, 'node_modules', NATIVE, 'build/Release/bluetooth_hci_socket.node');
    if (!existsSync(module)) throw new Error(`${NATIVE} was not compiled to ${module}`);
  });
};

/** Folders of the packages that are there in production, parents before what is nested in them. */
const productionPackages = (lock: string): readonly string[] => {
  const { packages } = JSON.parse(lock) as { readonly packages: Readonly<Record<string, { dev?: boolean }>> };
  return Object.entries(packages)
    .filter(([path, { dev }]) => path !== '' && dev !== true && existsSync(path))
    .map(([path]) => path)
    .sort();
};
