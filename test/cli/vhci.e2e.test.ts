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

  it('are missing: airbench air --vhci says so in one message and ends', async function () {
    if (existsSync('/dev/vhci')) this.skip();
    const { status, stderr } = await Program.air(['--vhci']).ended;
    expect(status).to.equal(1);
    expect(stderr.trim().split('\n')).to.have.lengthOf(1);
    expect(stderr).to.contain('there is no /dev/vhci').and.to.contain('sudo modprobe hci_vhci');
  });

  it('are what airbench vhci says the same of, and lets its controller go', async function () {
    if (existsSync('/dev/vhci')) this.skip();
    const air = Program.air([]);
    const hci = await air.url('virtual radio');
    const { status, stderr } = await Program.airbench(['vhci', '--hci', hci]).ended;
    expect(status).to.equal(1);
    expect(stderr).to.contain('there is no /dev/vhci');
  });

  for (const [hci, status, message] of [
    ['hci0', 2, 'it must be tcp:HOST:PORT or unix:PATH'],
    ['tcp:127.0.0.1:1', 1, 'tcp:127.0.0.1:1 cannot be reached: connection refused'],
  ] as const) {
    it(`airbench vhci --hci ${hci} ends with one message`, async () => {
      const ended = await Program.airbench(['vhci', '--hci', hci]).ended;
      expect(ended.status).to.equal(status);
      expect(ended.stderr.trim().split('\n')).to.have.lengthOf(1);
      expect(ended.stderr).to.contain(message);
    });
  }
});
