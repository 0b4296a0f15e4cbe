import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { ARCHIVE, findImage, GUEST_PACKAGE, refuseOthers } from '../../simulators/lab/linux/find-image.js';
import { UNPACKER } from '../../simulators/lab/linux/image.js';
import { newFolder } from '../support/folders.js';
import { requireLinux } from '../support/require.js';
import { useVariables } from '../support/variables.js';

const execution = { signal: new AbortController().signal };

/** A package whose program unpacks a kernel alone. */
const writePackage = (folder: string): string => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), `{"name": "${GUEST_PACKAGE}"}`);
  writeFileSync(join(folder, ARCHIVE), 'the kernel');
  writeFileSync(join(folder, UNPACKER), '#!/bin/sh\ncp "$3" "$5/vmlinux"\n');
  // Some package managers drop the executable bit.
  chmodSync(join(folder, UNPACKER), 0o644);
  return folder;
};

const messageOf = async (finding: Promise<unknown>): Promise<string> =>
  finding.then(
    () => 'found',
    (error: unknown) => (error instanceof Error ? error.message : ''),
  );

describe('The guest of airbench linux', () => {
  const here = process.cwd();
  const setVariable = useVariables();

  beforeEach(function () {
    requireLinux(this, 'guest');
    setVariable('AIRBENCH_CACHE', newFolder());
  });
  afterEach(() => process.chdir(here));

  it('is unpacked from a named folder', async () => {
    const { kernel } = await findImage(writePackage(join(newFolder(), 'my guest')), execution);
    expect(existsSync(kernel)).to.equal(true);
    expect(dirname(dirname(kernel))).to.equal(process.env['AIRBENCH_CACHE']);
  });

  it('is unpacked from the package installed in the current folder', async () => {
    const project = newFolder();
    writePackage(join(project, 'node_modules', GUEST_PACKAGE));
    process.chdir(project);
    const { kernel } = await findImage(undefined, execution);
    expect(existsSync(kernel)).to.equal(true);
  });

  it('is refused with the path of a folder without a guest', async () => {
    const folder = newFolder();
    expect(await messageOf(findImage(join(folder, 'absent'), execution))).to.equal(
      `--guest: there is no ${join(folder, 'absent')}`,
    );
    expect(await messageOf(findImage(folder, execution))).to.equal(
      `--guest: ${folder} is not airbench-guest: it has no guest.tar.xz`,
    );
  });

  it('is refused with all three sources if no source has a guest', async () => {
    process.chdir(newFolder());
    setVariable('PATH', newFolder());
    expect(await messageOf(findImage(undefined, execution))).to.match(
      /^there is no guest: install the npm package airbench-guest, name .* by --guest, or .* apt/,
    );
  });

  it('is refused on other systems with a hint about the radio, which works there', () => {
    expect(() => refuseOthers('darwin', 'arm64')).to.throw(/needs Linux; here the radio works .* Bumble/);
    expect(() => refuseOthers('linux', 'arm64')).to.throw(/kernel, a QEMU and a BlueZ for x64 .* is arm64/);
    expect(() => refuseOthers('linux', 'x64')).to.not.throw();
  });
});
