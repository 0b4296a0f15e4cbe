import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { parse } from 'yaml';
import { newFolder } from '../support/folders.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';

const bumble = { name: 'Bulb', address: 'F0:F1:F2:F3:F4:F5', keystore: 'JsonKeyStore' };

describe('airbench import', () => {
  let folder: string;
  beforeEach(() => {
    folder = newFolder();
  });
  afterEach(endPrograms);

  it('writes a file for --devices, and leaves one alone that is there', async () => {
    const [from, to] = [join(folder, 'bumble.json'), join(folder, 'device.yaml')];
    writeFileSync(from, JSON.stringify(bumble));
    const { status, stdout } = await Program.airbench(['import', from, to]).ended;
    expect(status).to.equal(0);
    expect(stdout.trim()).to.equal(`${to}  Bulb\nleft out: keystore`);
    expect(parse(readFileSync(to, 'utf8'))).to.include({
      kind: 'gatt',
      name: 'Bulb',
      address: bumble.address,
    });
    const again = await Program.airbench(['import', from, to]).ended;
    expect(again.status).to.equal(2);
    expect(again.stderr).to.contain(`${to} cannot be written: it is there already`);
  });

  it('puts what it wrote on the air', async () => {
    const [from, to] = [join(folder, 'bumble.json'), join(folder, 'device.json')];
    writeFileSync(from, JSON.stringify(bumble));
    await Program.airbench(['import', from, to]).ended;
    const air = Program.air(['--dice', '0', '--clocks', '0', '--devices', to]);
    const control = await air.url('control API');
    expect(await (await fetch(`${control}/devices/${bumble.address}`)).json()).to.include({ name: 'Bulb' });
  });
});
