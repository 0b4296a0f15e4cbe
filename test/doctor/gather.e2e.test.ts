import { expect } from 'chai';
import { describe, it } from 'mocha';
import { gatherFacts, hasCapability, hciInodes, isFree, nativeFacts } from '../../src/doctor/gather.js';
import { freePort, startTcp } from '../../features/support/loopback.js';
import { notInstalled } from '../support/native-module.js';
import { Program } from '../../simulators/testing/internal/program.js';

const throwing = (error: Error) => () => {
  throw error;
};

describe('The facts that the doctor gathers', () => {
  it('the native module: there, not installed, not compiled, not loadable, without sockets', () => {
    const name = '@stoprocent/bluetooth-hci-socket';
    const compile = `\`npm rebuild --ignore-scripts=false ${name}\` (it needs Python and a C++ compiler)`;
    expect(nativeFacts(() => ({}))).to.deep.equal({ state: 'loaded', socket: undefined });
    expect(nativeFacts(notInstalled)).to.deep.equal({
      state: 'failed',
      what: `the package ${name}, which adapters need, is not installed`,
      fix: `\`npm install ${name}\``,
    });
    const text =
      'No native build was found for platform=linux arch=riscv64 runtime=node\n    loaded from: /x\n';
    expect(nativeFacts(throwing(new Error(text)))).to.deep.equal({
      state: 'failed',
      what: `${name}, which adapters need, is not compiled for ${process.platform} ${process.arch}`,
      fix: compile,
    });
    const older = new Error("libc.so.6: version `GLIBC_2.32' not found (required by x.node)");
    expect(nativeFacts(throwing(Object.assign(older, { code: 'ERR_DLOPEN_FAILED' })))).to.deep.equal({
      state: 'failed',
      what: `${name}, which adapters need, does not load: ${older.message}`,
      fix: compile,
    });
    const refused = new Error('EAFNOSUPPORT, Address family not supported by protocol');
    expect(nativeFacts(throwing(refused))).to.deep.equal({ state: 'loaded', socket: refused.message });
  });

  it('the capabilities of a process: bit 12 is CAP_NET_ADMIN, bit 13 CAP_NET_RAW', () => {
    for (const name of ['CAP_NET_ADMIN', 'CAP_NET_RAW'] as const) {
      expect(hasCapability('Name:\tnode\nCapEff:\t000001ffffffffff\nCapBnd:\t0\n', name)).to.equal(true);
      expect(hasCapability('CapEff:\t0000000000004800\nCapBnd:\t000001ffffffffff\n', name)).to.equal(false);
      expect(hasCapability('', name)).to.equal(false);
    }
    expect(hasCapability('CapEff:\t0000000000001000\n', 'CAP_NET_ADMIN')).to.equal(true);
    expect(hasCapability('CapEff:\t0000000000001000\n', 'CAP_NET_RAW')).to.equal(false);
    expect(hasCapability('CapEff:\t0000000000002000\n', 'CAP_NET_ADMIN')).to.equal(false);
    expect(hasCapability('CapEff:\t0000000000002000\n', 'CAP_NET_RAW')).to.equal(true);
  });

  it('the sockets in /proc/net/hci, by their inodes', () => {
    const table = [
      'sk               RefCnt Rmem   Wmem   User   Inode  Parent',
      '00000000c4f1a2b0 2      0      0      0      30456  0     ',
      '0000000011223344 2      0      0      1000   41877  0     ',
    ].join('\n');
    expect(hciInodes(`${table}\n`)).to.deep.equal(['30456', '41877']);
    expect(hciInodes('')).to.deep.equal([]);
  });

  it('ports', async () => {
    const { port, close } = await startTcp(() => undefined);
    expect(await isFree(port)).to.equal(false);
    await close();
    expect(await isFree(port)).to.equal(true);
  });

  it('the facts of this machine', async () => {
    const port = { port: await freePort(), what: 'dice server' };
    const facts = await gatherFacts([port]);
    expect(facts).to.include({ platform: process.platform, nodeVersion: process.versions.node });
    expect(facts.ports).to.deep.equal([{ ...port, free: true }]);
  });
});

describe('The command airbench doctor', () => {
  it('prints a line for each check and the command, or JSON, and ends with 0 only if nothing is missing', async () => {
    const { port, close } = await startTcp(() => undefined);
    const ports = ['--dice-port', '0', '--clock-port', '0', '--control-port', String(port)];
    const [text, json] = await Promise.all([
      Program.airbench(['doctor', ...ports]).ended,
      Program.airbench(['doctor', '--json', ...ports]).ended,
    ]);
    await close();
    const { healthy, checks, run } = JSON.parse(json.stdout) as {
      healthy: boolean;
      run: string;
      checks: { level: string; what: string }[];
    };
    expect(checks.map(({ what }) => what).filter((what) => what.startsWith('port '))).to.deep.equal([
      `port ${port}, which the control API takes, is in use`,
    ]);
    const lines = text.stdout.split('\n');
    expect(lines.at(-1)).to.be.oneOf([`run: ${run}`, `do: ${run}`]);
    expect(lines.slice(0, -1).map((line) => line.slice(0, 4).trim())).to.deep.equal(
      checks.map(({ level }) => level),
    );
    expect([text.status, json.status]).to.deep.equal(healthy ? [0, 0] : [1, 1]);
  });
});
