/** Stand-ins for npm, npx and sudo in a walk: its packages are the project's own, and it is built, so that no registry is needed. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AIRBENCH } from '../../src/system/package.js';
import { newFolder } from './folders.js';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };

/** Packing is npm's own work, into the folder of the walk. */
const npm = (root: string): string => `#!/bin/sh
npm="${join(resolve(process.execPath, '..'), 'npm')}"
case $1 in
  ci) exit ;;
  run) case "$*" in *build*) exit ;; *) exec "$npm" "$@" ;; esac ;;
  start) shift; [ "$1" = -- ] && shift; exec "${process.execPath}" "${AIRBENCH}" rig "$@" ;;
  pack) to=$PWD; cd "${root}" && exec "$npm" pack --pack-destination "$to" ;;
  install) shift ;;
  *) exec "$npm" "$@" ;;
esac
link() {
  [ -d "${root}/node_modules/$1" ] || { echo "the project has no $1" >&2; exit 1; }
  mkdir -p "node_modules/$(dirname "$1")"
  ln -sfn "${root}/node_modules/$1" "node_modules/$1"
}
for name; do
  case $name in
    -*) ;;
    ./airbench-*.tgz)
      [ -f "$name" ] || { echo "there is no $name" >&2; exit 1; }
      for dependency in ${Object.keys(dependencies).join(' ')}; do link "$dependency"; done
      ln -sfn "${root}" node_modules/airbench ;;
    *) link "$(echo "$name" | sed 's/\\(.\\)@.*/\\1/')"
  esac
done
`;

const npx = (root: string): string => `#!/bin/sh
name=$1
shift
[ "$name" = airbench ] && exec "${process.execPath}" "${AIRBENCH}" "$@"
exec "${root}/node_modules/.bin/$name" "$@"
`;

const SUDO = `#!/bin/sh
echo "a walk is not root's: its block is to say \\"needs root\\"" >&2
exit 1
`;

/** A folder with them, for the front of the PATH. */
export const walkPrograms = (): string => {
  const folder = newFolder();
  mkdirSync(folder, { recursive: true });
  const root = process.cwd();
  for (const [name, script] of Object.entries({ npm: npm(root), npx: npx(root), sudo: SUDO })) {
    writeFileSync(join(folder, name), script);
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
};
