/** Stand-ins for npm, npx and sudo in a walk: the project is built and has all packages, so no registry is needed. */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AIRBENCH } from '../../src/system/package.js';
import { newFolder } from './folders.js';

/** Folders with packages, in the clone; `npm run packages` installs the packages of tests. */
export const GENERATORS = 'test/api-docs/generators';
const FOLDERS = ['.', GENERATORS].map((folder) => `"$root/${folder}/node_modules"`).join(' ');

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as { dependencies: object };

/** npm itself packs, into the folder of the walk. */
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
root="${root}"
link() {
  for folder in ${FOLDERS}; do
    [ -d "$folder/$1" ] || continue
    mkdir -p "node_modules/$(dirname "$1")"
    ln -sfn "$folder/$1" "node_modules/$1"
    return
  done
  echo "the project has no $1" >&2
  exit 1
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
root="${root}"
for folder in ${FOLDERS}; do
  [ -x "$folder/.bin/$name" ] && exec "$folder/.bin/$name" "$@"
done
echo "the project has no $name" >&2
exit 1
`;

const SUDO = `#!/bin/sh
echo "a walk does not run as root: its block must have \\"needs root\\"" >&2
exit 1
`;

/** A folder with these programs, for the front of the PATH. */
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
