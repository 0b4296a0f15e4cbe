import { spawnSync } from 'node:child_process';
import { expect } from 'chai';
import { describe, it } from 'mocha';

/** Runs a script as a program would run that requires the native socket. */
const run = (hci: string, script: string) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', 'airbench/hci', '--eval', script],
    { env: { ...process.env, AIRBENCH_HCI: hci }, encoding: 'utf8' },
  );
  return { status, stdout, stderr };
};

describe('--import airbench/hci', () => {
  for (const module of ['@abandonware/bluetooth-hci-socket', '@stoprocent/bluetooth-hci-socket']) {
    it(`puts an H4 socket in the place of ${module}`, () => {
      const script = `
        const Socket = require('${module}');
        const { loadDriver } = Socket;
        for (const Class of [Socket, loadDriver('default'), loadDriver('uart')])
          console.log(new Class().constructor.name, new Class().isDevUp());`;
      expect(run('tcp:127.0.0.1:1', script)).to.deep.equal({
        status: 0,
        stdout: 'ProgramSocket null\n'.repeat(3),
        stderr: '',
      });
    });
  }

  it('uses HCI in the place of the bindings for macOS, Windows and BlueZ', () => {
    const script = `
      const { withBindings } = require('@stoprocent/noble');
      const Hci = require('@stoprocent/noble/lib/hci-socket/bindings.js');
      for (const name of ['mac', 'win', 'dbus']) console.log(withBindings(name)._bindings instanceof Hci);`;
    const expected = { status: 0, stdout: 'true\n'.repeat(3), stderr: '' };
    expect(run('tcp:127.0.0.1:1', script)).to.deep.equal(expected);
  });

  it('leaves the modules of this machine’s adapter as they are', () => {
    const script = `
      let name = 'not installed';
      try {
        name = require('@abandonware/bluetooth-hci-socket').name;
      } catch {}
      console.log(name);`;
    expect(run('unix:/nowhere', script).stdout).to.equal('Socket\n');
    for (const hci of ['hci0', 'default']) expect(run(hci, script).stdout).to.equal('not installed\n');
  });

  it('refuses the user channel, which is for the servers', () => {
    const { status, stderr } = run('user:hci0', '');
    expect(status).to.equal(1);
    expect(stderr).to.contain('AIRBENCH_HCI: user:hciN is for the servers, --hci user:hciN');
  });

  it('ends the program immediately with a message when it has no address', () => {
    const { status, stderr } = run('usb', '');
    expect(status).to.equal(1);
    expect(stderr).to.contain(
      'AIRBENCH_HCI: hci must be default, hciN, user:hciN, tcp:HOST:PORT or unix:PATH, got "usb"',
    );
  });
});
