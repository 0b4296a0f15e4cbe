/** The lock file: npm ci refuses one that lacks a package, even one of another system. */
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describe, it } from 'mocha';

interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const FOLDER = 'node_modules/';

/** The folders in which a package in `path` finds others, as Node looks for them: its own first. */
const placesFrom = (path: string): readonly string[] =>
  path === ''
    ? ['']
    : [`${path}/`, ...placesFrom(path.slice(0, path.lastIndexOf(FOLDER)).replace(/\/$/, ''))];

/** Every package that another one names, and that has no entry where that one would find it. */
const missingFrom = (packages: Readonly<Record<string, Locked>>): readonly string[] =>
  Object.entries(packages).flatMap(([path, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => !placesFrom(path).some((place) => `${place}${FOLDER}${name}` in packages))
      .map((name) => `${name}, which ${path} needs`),
  );

const FILES = [
  'package-lock.json',
  'ci/mutants/stryker/package-lock.json',
  'test/api-docs/generators/package-lock.json',
  'test/testing/runners/package-lock.json',
];

for (const file of FILES)
  describe(`The lock file ${file}`, () => {
    it('has an entry for every package that one of its packages needs, those of all systems too', () => {
      const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, Locked> };
      expect(Object.keys(packages)).to.have.length.above(1);
      expect(missingFrom(packages)).to.deep.equal([]);
    });
  });
