/** Commands that cannot start end with one message. flags.test.ts has more messages, without their status. */
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { vhciAdvice } from '../../src/ble/hci/advice.js';
import { Program, endPrograms } from '../../simulators/testing/internal/program.js';
import { newFolder } from '../support/folders.js';
import { requireLinux, requireUnix } from '../support/require.js';
import { rows } from '../support/rows.js';

const DIE = 'D1:CE:00:00:00:01';

/** Variables, command and flags; status; the message, or its parts between `…`. */
const REFUSALS = rows(
  3,
  `
  dance                                        | 2 | error: unknown command 'dance'; did you mean dice?
  constructor                                  | 2 | error: unknown command 'constructor'
  rig --dcie 3                                 | 2 | error: unknown option '--dcie'; did you mean --dice?
  record xx f.btsnoop                          | 2 | error: argument '<address>' value 'xx' is invalid: it must be six pairs of hex digits…
  record ${DIE} /nowhere/x                     | 2 | error: /nowhere/x cannot be written: there is no such file or folder
  record ${DIE} x --hci hci7                   | 1 | …name it as --hci user:hci7, once it is down
  vhci --hci tcp:127.0.0.1:1                   | 1 | tcp:127.0.0.1:1 cannot be reached: connection refused…
  air --vhci                                   | 1 | …there is no /dev/vhci…sudo modprobe hci_vhci…
  air --trace /                                | 1 | the trace / cannot be written: it is a folder
  air --trace nowhere/t                        | 1 | the trace nowhere/t cannot be written: there is no such file or folder
  air --hci-socket nowhere/s                   | 1 | the virtual radio cannot listen on nowhere/s: there is no such folder
  air --hci-socket package.json                | 1 | the virtual radio cannot listen on package.json: it is not a socket, and is left alone: choose another path
  air --hci-address 192.0.2.1                  | 1 | the virtual radio cannot listen on port 0 of 192.0.2.1: this machine has no such address
  air --strict --report nowhere/r.xml          | 1 | the report nowhere/r.xml cannot be written: there is no such file or folder
  rig --dice-port 45679 --clock-port 45679     | 1 | --dice-port and --clock-port are both 45679: give each a port of its own
  rig --data-dir /proc/x/y                     | 1 | --data-dir: /proc/x/y cannot be made: /proc takes no folders
  TMPDIR=/proc/self rig                        | 1 | no temporary folder can be made in /proc/self (TMPDIR names another): there is no such file or folder
  AIRBENCH_TOKEN=short rig                     | 1 | AIRBENCH_TOKEN must be 16 to 256 letters, digits or -._~
  AIRBENCH_CONTROL_TOKEN=secret air            | 1 | AIRBENCH_CONTROL_TOKEN must be 16 to 256 letters, digits or -._~
  AIRBENCH_CONTROL_TOKEN=secret dice --simulator http://127.0.0.1:1 | 2 | …AIRBENCH_CONTROL_TOKEN must be 16 to 256 letters, digits or -._~
  install-service                              | 2 | error: missing required argument 'server'…
  install-service cube                         | 2 | …dice, clock…
  install-service dice --user two\u2028lines   | 2 | …it must be the name of a user…
  install-service dice --dir /nowhere          | 1 | /nowhere is not there: --dir names another folder
  install-service dice --dir /tmp --config /proc/x/y.yml | 1 | /proc/x/y.yml cannot be written: …
  `,
);

describe('The airbench program', () => {
  beforeEach(function () {
    requireUnix(this, 'FIFOs, nor Unix paths');
  });
  afterEach(endPrograms);

  const start = (line: string): Program => {
    const words = line.split(' ');
    const variables = words.filter((word) => /^[A-Z_]+=/.test(word)).map((word) => word.split('='));
    const [command = '', ...args] = words.slice(variables.length);
    const options = { env: Object.fromEntries<string>(variables as [string, string][]) };
    if (command === 'rig') return Program.rig(args, options);
    const ports =
      command === 'air' && !line.includes('--adapter') ? ['--control-port', '0', '--hci-port', '0'] : [];
    return Program.airbench([command, ...ports, ...args], options);
  };

  for (const [line, expected, message] of REFUSALS) {
    it(`refuses ${line} with status ${expected} and one message`, async function () {
      if (/\/proc|install-service|--vhci/.test(line)) requireLinux(this, '/proc, systemd or /dev/vhci');
      if (line === 'air --vhci' && existsSync('/dev/vhci')) this.skip();
      const { status, stdout, stderr } = await start(line).ended;
      expect({ status, stdout }).to.deep.equal({ status: Number(expected), stdout: '' });
      expect(stderr.trim().split('\n')).to.have.lengthOf(1);
      if (!message.includes('…')) expect(stderr).to.equal(`${message}\n`);
      for (const part of message.split('…')) expect(stderr).to.contain(part.trim());
    });
  }

  for (const line of ['dice --port 0 --hci hci77', 'air --adapter hci77 --device dice --control-port 0']) {
    it(`refuses ${line} without such an adapter, and names a command that helps`, async () => {
      const { status, stdout, stderr } = await start(line).ended;
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.match(
        /^.*(airbench air|npm install @stoprocent|no Bluetooth adapter can be opened as hci77).*\n$/,
      );
    });
  }

  for (const [flag, prefix, status] of [
    ['--token-file', 'the token file PATH: it cannot be used:', 1],
    ['--config', 'error: PATH: it cannot be read:', 2],
    ['--devices', "error: option '--devices <file>' argument 'PATH' is invalid: it cannot be read:", 2],
  ] as const) {
    it(`refuses a FIFO and more than 1 MiB for ${flag}`, async () => {
      const [fifo, large] = [join(newFolder(), 'fifo'), join(newFolder(), 'large')];
      execFileSync('mkfifo', ['-m', '600', fifo]);
      writeFileSync(large, Buffer.alloc(1024 * 1024 + 1, 0x20), { mode: 0o600 });
      for (const [path, reason] of [
        [fifo, 'it is not a regular file'],
        [large, 'it has more than 1 MiB'],
      ] as const)
        expect(await start(`dice --port 0 --hci tcp:127.0.0.1:1 ${flag} ${path}`).ended).to.deep.include({
          ...{ status, stderr: `${prefix.replace('PATH', path)} ${reason}\n` },
        });
    });
  }

  for (const [code, fix] of [
    ['ENODEV', 'run `sudo modprobe hci_vhci`'],
    [
      'EACCES',
      'run `sudo chown "$USER" /dev/vhci`, add a udev rule (docs/lab/vhci.md has one), or run as root',
    ],
    ['EBADFD', '/dev/vhci makes no adapter: EBADFD: what the system says'],
  ] as const)
    it(`explains how to fix ${code} of /dev/vhci, which makes adapters of the kernel`, function () {
      requireLinux(this, 'adapters of its kernel');
      const error = Object.assign(new Error(`${code}: what the system says`), { code });
      expect(vhciAdvice(error)).to.contain(fix);
    });

  it('does not repeat the password of a refused URL', async () => {
    for (const url of ['mqtt://user:se@cr/et@broker.example', 'user:secret@broker', "mqtt://u:se'cret@b/t"]) {
      const { status, stderr } = await start(`dice --mqtt ${url}`).ended;
      expect(status).to.equal(2);
      expect(stderr).to.match(
        /^error: option '--mqtt <url>' argument '.*:\*\*\*@b.*' is invalid: it must .*\n$/,
      );
      expect(stderr).to.not.match(/se.?cr/);
    }
  });
});
