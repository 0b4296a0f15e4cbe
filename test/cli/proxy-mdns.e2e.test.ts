import { expect } from 'chai';
import { after, describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import type { Radio } from '../../src/ble/ports.js';
import { discoverProxies, type FoundProxy } from '../../src/cli/servers/mdns.js';
import { right } from '../support/either.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';

const LISTEN_MS = 800;
const NAME = `proxy-test-${process.pid}`;
const DIE = 'D1:CE:00:00:00:01';

describe('A proxy with --mdns', () => {
  after(endPrograms);

  const found = async (): Promise<readonly FoundProxy[]> =>
    (await discoverProxies({ time: systemTime, ms: LISTEN_MS, address: '127.0.0.1' })()).filter(
      ({ name }) => name === NAME,
    );

  const hears = (radio: Radio): Promise<void> =>
    new Promise((resolve) => {
      const stop = radio.listen(({ address }) => {
        if (address !== DIE) return;
        stop();
        resolve();
      });
    });

  it('is found until it ends, and again when it is back, where a server goes on with it', async () => {
    const air = Program.air(['--dice', '1', '--clocks', '0']);
    const hci = await air.url('virtual radio');
    const start = async (port: string): Promise<{ readonly proxy: Program; readonly port: string }> => {
      const args = ['--address', '127.0.0.1', '--port', port, '--hci', hci, '--name', NAME];
      const proxy = Program.airbench(['proxy', ...args, '--mdns']);
      return { proxy, port: new URL(await proxy.url(`proxy ${NAME}`)).port };
    };
    const { proxy, port } = await start('0');
    const [place, ...others] = await found();
    expect([place, ...others]).to.deep.equal([{ host: '127.0.0.1', port: Number(port), name: NAME }]);
    const radio = right(
      await openProxyRadio({
        ...{ proxies: [{ host: '127.0.0.1', port: Number(port), key: undefined }], time: systemTime },
        ...{ limits: { connect: 0, discover: 0, gatt: 0 }, inform: () => undefined, warn: () => undefined },
      })(),
    );
    await hears(radio);
    expect((await proxy.signal('SIGTERM')).status).to.equal(0);
    expect([await found(), radio.state]).to.deep.equal([[], 'poweredOff']);
    const heardAgain = hears(radio);
    await start(port);
    expect((await found()).map((one) => one.port)).to.deep.equal([Number(port)]);
    await heardAgain;
    await radio.close();
  });
});
