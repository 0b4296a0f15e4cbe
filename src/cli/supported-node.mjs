/**
 * Ends the process with one message on a Node that `engines` of package.json does not name, or where the packages are not
 * installed. Plain JavaScript without static imports of packages, so that it runs before anything that could fail there.
 */
import { readFileSync } from 'node:fs';
import process from 'node:process';

/** The root of the package, from `src/cli/` and from `dist/bin/`. */
const manifest = new URL('../../package.json', import.meta.url);

const end = (message) => {
  process.stderr.write(`airbench: ${message}\n`);
  process.exit(1);
};

const satisfies = await import('semver/functions/satisfies.js').catch(() =>
  end('its packages are not installed; run `npm ci` first'),
);

const { engines } = JSON.parse(readFileSync(manifest, 'utf8'));

if (!satisfies.default(process.versions.node, engines.node, { includePrerelease: true }))
  end(`this is Node ${process.versions.node}; it needs Node ${engines.node}`);
