import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { parse } from 'yaml';
import { newFolder } from '../support/folders.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';

const bumble = { name: 'Bulb', address: 'F0:F1:F2:F3:F4:F5', keystore: 'JsonKeyStore' };

describe('airbench import', () => {
  after(endPrograms);

  it('writes a file for --devices, with which air starts the device, and never overwrites a file', async () => {
    const folder = newFolder();
    const [from, to] = [join(folder, 'bumble.json'), join(folder, 'device.yaml')];
    writeFileSync(from, JSON.stringify(bumble));
    const run = () => Program.airbench(['import', from, to]).ended;
    expect(await run()).to.include({ status: 0, stdout: `${to}  Bulb\nleft out: keystore` });
    const { name, address } = bumble;
    expect(parse(readFileSync(to, 'utf8'))).to.include({ kind: 'gatt', name, address });
    const again = await run();
    expect(again.status).to.equal(2);
    expect(again.stderr).to.contain(`${to} cannot be written: it already exists`);
    const air = Program.air(['--dice', '0', '--clocks', '0', '--devices', to]);
    const device = await fetch(`${await air.url('control API')}/devices/${address}`);
    expect(await device.json()).to.include({ name });
  });
});
