/** Checks the lock files: npm ci refuses a lock file without a package that another system needs. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { it } from 'mocha';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FOLDER = 'node_modules/';

/** The folders in which Node.js looks for the dependencies of a package in `path`, its own first. */
const placesFrom = (path: string): readonly string[] =>
  path === ''
    ? ['']
    : [`${path}/`, ...placesFrom(path.slice(0, path.lastIndexOf(FOLDER)).replace(/\/$/, ''))];

/** Every dependency that has no entry in the folders of its dependent. */
const missingFrom = (packages: Readonly<Record<string, Locked>>): readonly string[] =>
  Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesFrom(path).some((place) => `${place}${FOLDER}${name}` in packages))
      .map((name) => `${name}, which ${path} needs`),
  );

const FOLDERS = ['.', 'ci/mutants/stryker', 'test/api-docs/generators', 'test/testing/runners'];

for (const folder of FOLDERS)
  it(`The lock file of ${folder} has an entry for every package that one of its packages needs, on any system`, () => {
    const text = readFileSync(`${folder}/package-lock.json`, 'utf8');
    const { packages } = JSON.parse(text) as { packages: Record<string, Locked> };
    expect(Object.keys(packages)).to.have.length.above(1);
    expect(missingFrom(packages)).to.deep.equal([]);
  });
