import { existsSync } from 'node:fs';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { vhciAdvice } from '../../src/ble/hci/advice.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { requireLinux } from '../support/require.js';

const coded = (code: string): Error => Object.assign(new Error(`${code}: what the system says`), { code });

/** Their use with a kernel is tested in one: `ci/kernel/scenarios/adapters.ts`. */
describe('Adapters of the kernel', () => {
  beforeEach(function () {
    requireLinux(this, 'adapters of its kernel');
  });
  afterEach(endPrograms);

  for (const [code, fix] of [
    ['ENOENT', 'run `sudo modprobe hci_vhci`'],
    ['ENODEV', 'run `sudo modprobe hci_vhci`'],
    [
      'EACCES',
      'run `sudo chown "$USER" /dev/vhci`, add a udev rule (docs/lab/vhci.md has one), or run as root',
    ],
    ['EBADFD', '/dev/vhci makes no adapter: EBADFD: what the system says'],
  ] as const) {
    it(`say what to do about ${code}`, () => {
      expect(vhciAdvice(coded(code))).to.contain(fix);
    });
  }

  for (const command of ['air', 'vhci']) {
    it(`airbench ${command} says in one message that /dev/vhci is missing, and ends`, async function () {
      if (existsSync('/dev/vhci')) this.skip();
      const air = Program.air();
      const { status, stderr } = await (
        command === 'air'
          ? Program.air(['--vhci'])
          : Program.airbench(['vhci', '--hci', await air.url('virtual radio')])
      ).ended;
      expect(status).to.equal(1);
      expect(stderr).to.match(/^.*there is no \/dev\/vhci.*sudo modprobe hci_vhci.*\n$/);
    });
  }
});
