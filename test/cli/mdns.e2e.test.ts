import { once } from 'node:events';
import { networkInterfaces } from 'node:os';
import { Bonjour, type Service } from 'bonjour-service';
import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import type { Radio } from '../../src/ble/ports.js';
import { announce, discover, discoverProxies } from '../../src/cli/servers/mdns.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { right } from '../support/either.js';
import { silent } from '../support/log.js';

const TOKEN = 'token-of-the-mdns-test';
const NAME = `mdns-test-${process.pid}`;
const DIE = 'D1:CE:00:00:00:01';

const LISTENING = { time: systemTime, ms: 800, address: '127.0.0.1' };

/** The addresses of this machine outside of loopback. */
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
    ...ipv4.map((address) => [address, [address]] as const),
    ['::', outside.map(({ address }) => address)],
  ] as const)
    it(`is listed with the addresses of --address ${address} alone`, async () => {
      expect(await listed(address)).to.have.members(addresses);
    });
});

describe('A program with --mdns', () => {
  after(endPrograms);

  const placeOn = (hci: string, port = '0'): readonly string[] => [
    ...['--address', '127.0.0.1', '--port', port, '--hci', hci, '--name', NAME],
  ];

  it('is discovered by its name until it ends, unlike a server without --mdns', async () => {
    const discovered = async () => (await discover(LISTENING)()).filter(({ name }) => name === NAME);
    const air = Program.air(['--dice', '0', '--clocks', '0']);
    const place = placeOn(await air.url('virtual radio'));
    const dice = Program.airbench(['dice', ...place, '--mdns'], { env: { AIRBENCH_TOKEN: TOKEN } });
    const clock = Program.airbench(['clock', ...place]);
    const url = await dice.url('dice server');
    await clock.url('clock server');
    expect(await discovered()).to.deep.equal([
      { kind: 'dice', name: NAME, url: `${url}/`, version: '0.1.0', needsToken: true },
    ]);
    const shown = await Program.airbench(['fleet', '--discover', '127.0.0.1', '--listen-secs', '0.8']).ended;
    expect(shown.status).to.equal(0);
    expect(shown.stdout.split('\n').filter((line) => line.startsWith(NAME))).to.deep.equal([
      `${NAME}  dice  ${url}/  0.1.0    needed`,
    ]);
    expect((await dice.signal('SIGTERM')).status).to.equal(0);
    expect(await discovered()).to.deep.equal([]);
  });

  it('is discovered as a proxy until it ends, and after a restart, when a server uses it again', async () => {
    const discovered = async () => (await discoverProxies(LISTENING)()).filter(({ name }) => name === NAME);
    const hears = (radio: Radio): Promise<void> =>
      new Promise((resolve) => {
        const stop = radio.listen(({ address }) => {
          if (address !== DIE) return;
          stop();
          resolve();
        });
      });
    const air = Program.air(['--dice', '1', '--clocks', '0']);
    const hci = await air.url('virtual radio');
    const start = async (proxyPort?: string): Promise<{ proxy: Program; port: number }> => {
      const proxy = Program.airbench(['proxy', ...placeOn(hci, proxyPort), '--mdns']);
      return { proxy, port: Number(new URL(await proxy.url(`proxy ${NAME}`)).port) };
    };
    const { proxy, port } = await start();
    const place = { host: '127.0.0.1', port };
    expect(await discovered()).to.deep.equal([{ ...place, name: NAME }]);
    const radio = right(
      await openProxyRadio({
        ...{ proxies: [{ ...place, key: undefined }], time: systemTime },
        ...{ limits: { connect: 0, discover: 0, gatt: 0 }, inform: () => undefined, warn: () => undefined },
      })(),
    );
    await hears(radio);
    expect((await proxy.signal('SIGTERM')).status).to.equal(0);
    expect([await discovered(), radio.state]).to.deep.equal([[], 'poweredOff']);
    const heardAgain = hears(radio);
    await start(String(port));
    expect(await discovered()).to.deep.equal([{ ...place, name: NAME }]);
    await heardAgain;
    await radio.close();
  });
});
