import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { Bonjour, type Service } from 'bonjour-service';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { announce, discover } from '../../src/cli/servers/mdns.js';
import { systemTime } from '../../src/async/time.js';
import { silent } from '../support/log.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const TOKEN = 'token-of-the-mdns-test';
const LISTEN_MS = 800;

/** The addresses of this machine in its networks. */
const outside = Object.values(networkInterfaces()).flatMap((addresses = []) =>
  addresses.filter(({ internal }) => !internal),
);

describe('A program announced by mDNS', () => {
  const listed = async (address: string): Promise<readonly string[]> => {
    const name = `mdns-${process.pid}-${address}`;
    const stop = announce({ kind: 'dice', name, address, port: 3456, needsToken: false }, silent);
    const mdns = new Bonjour(Object.fromEntries(Object.entries({ interface: '127.0.0.1', bind: '0.0.0.0' })));
    const browser = mdns.find({ type: 'airbench' });
    const isListed = (service: Service): boolean => service.name.startsWith(name.replaceAll('.', '-'));
    while (!browser.services.some(isListed)) await once(browser, 'up');
    const addresses = browser.services.find(isListed)?.addresses ?? [];
    await stop();
    await new Promise<void>((resolve) => mdns.destroy(resolve));
    return addresses;
  };

  const ipv4 = outside.filter(({ family }) => family === 'IPv4').map(({ address }) => address);

  for (const [address, addresses] of [
    ['127.0.0.1', []],
    ['localhost', []],
    ['::1', []],
    ['0.0.0.0', ipv4],
    ...ipv4.map((one) => [one, [one]] as const),
    ['::', outside.map((one) => one.address)],
  ] as const)
    it(`has the addresses of --address ${address} alone`, async () => {
      expect(await listed(address)).to.have.members(addresses);
    });
});

describe('A server with --mdns', () => {
  after(endPrograms);

  const found = async (name: string) =>
    (await discover({ time: systemTime, ms: LISTEN_MS, address: '127.0.0.1' })()).filter(
      (server) => server.name === name,
    );

  it('is found by its name until it ends, one without is not', async () => {
    const name = `mdns-test-${process.pid}`;
    const air = Program.air(['--dice', '0', '--clocks', '0']);
    const hci = await air.url('virtual radio');
    const args = ['--address', '127.0.0.1', '--port', '0', '--hci', hci, '--name', name];
    const dice = Program.airbench(['dice', ...args, '--mdns'], { env: { AIRBENCH_TOKEN: TOKEN } });
    const clock = Program.airbench(['clock', ...args]);
    const url = await dice.url('dice server');
    await clock.url('clock server');
    expect(await found(name)).to.deep.equal([
      { kind: 'dice', name, url: `${url}/`, version: '0.1.0', needsToken: true },
    ]);
    const shown = await Program.airbench(['fleet', '--discover', '127.0.0.1', '--listen-secs', '0.8']).ended;
    expect(shown.status).to.equal(0);
    expect(shown.stdout.split('\n').filter((line) => line.startsWith(name))).to.deep.equal([
      `${name}  dice  ${url}/  0.1.0    needed`,
    ]);
    expect((await dice.signal('SIGTERM')).status).to.equal(0);
    expect(await found(name)).to.deep.equal([]);
  });
});
