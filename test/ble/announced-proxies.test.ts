/** The radio of `--proxy auto`, on a network whose proxies come, move and go, among devices of ESPHome that are none. */
import { createServer, type AddressInfo } from 'node:net';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { SEARCH_PAUSE_MS, type AnnouncedAddress } from '../../src/ble/esphome/announced.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import type { AdapterState, BleError, Radio } from '../../src/ble/ports.js';
import { ApiConnection, plainFraming } from '../../src/esphome/index.js';
import { startProxy, type Proxy } from '../../src/proxy/index.js';
import { DEVICE, Fixture, LIMITS, PROFILE } from '../support/bluetooth-fixture.js';
import { right } from '../support/either.js';
import { silent } from '../support/log.js';

const KEY = Buffer.alloc(32, 9);

describe('Announced proxies', () => {
  let fixture: Fixture;
  let radio: Radio;
  let ending: (() => unknown)[];
  /** What a search finds. */
  let network: E.Either<string, readonly AnnouncedAddress[]>;
  let searchAgain: () => void;
  let searching: AbortSignal | undefined;
  let said: string[];
  let onSaid: () => void;

  /** Only searches wait for the test; nothing else waits as long. */
  const time: TimeSource = {
    ...systemTime,
    after: (ms, task) => {
      if (ms !== SEARCH_PAUSE_MS) return systemTime.after(ms, task);
      searchAgain = task;
      return () => (searchAgain = () => undefined);
    },
  };

  beforeEach(async () => {
    [ending, network, said, onSaid] = [[], E.right([]), [], () => undefined];
    fixture = await Fixture.open();
    await fixture.device();
  });
  afterEach(async () => {
    for (const end of ending.reverse()) await end();
    await fixture.close();
  });

  const startProxyOf = async (key?: Buffer): Promise<Proxy> => {
    const proxy = right(
      await startProxy({
        ...{ radio: await fixture.radio(), time: systemTime, log: silent, key, slots: 1, port: 0 },
        ...{ address: '127.0.0.1', name: 'kitchen', mac: 'A0:B1:C2:D3:E4:F5' },
      })(),
    );
    ending.push(proxy.close);
    return proxy;
  };

  /** A device of ESPHome without Bluetooth. `visited` resolves when clients have connected so many times. */
  const startPlug = async () => {
    let visits = 0;
    let onVisit = (): void => undefined;
    const server = createServer((socket) => {
      visits += 1;
      onVisit();
      const connection = new ApiConnection({
        ...{
          socket,
          time: systemTime,
          frame: plainFraming,
          ready: () => undefined,
          ended: () => socket.end(),
        },
        message: ({ name }) => {
          if (name === 'HelloRequest') connection.send('HelloResponse', { name: 'plug' });
          if (name === 'DeviceInfoRequest') connection.send('DeviceInfoResponse', { name: 'plug' });
        },
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    ending.push(() => server.close());
    const visited = async (times: number): Promise<void> => {
      while (visits < times) await new Promise<void>((resolve) => (onVisit = resolve));
    };
    return { port: (server.address() as AddressInfo).port, visited };
  };

  const at = (name: string, port: number, key?: Buffer): AnnouncedAddress => ({
    ...{ name, host: '127.0.0.1', port, key },
  });

  const tell = (message: string): void => {
    said.push(message);
    onSaid();
  };

  const search = (signal?: AbortSignal) => {
    searching = signal;
    return () => Promise.resolve(network);
  };

  const open = async (beside?: Radio): Promise<E.Either<BleError, Radio>> => {
    const opened = await openProxyRadio({
      ...(beside !== undefined && { beside: { name: 'hci0', radio: beside } }),
      ...{ proxies: [], search, limits: LIMITS, time },
      ...{ inform: tell, warn: tell, memory: { devices: 100, ms: SEARCH_PAUSE_MS / 2 } },
    })();
    if (E.isRight(opened)) {
      radio = opened.right;
      ending.push(radio.close);
    }
    return opened;
  };

  const untilSaid = async (pattern: RegExp, times = 1): Promise<void> => {
    while (said.filter((message) => pattern.test(message)).length < times) {
      await new Promise<void>((resolve) => (onSaid = resolve));
    }
  };

  const untilState = (wanted: AdapterState): Promise<void> =>
    new Promise((resolve) => {
      const stop = radio.onState((state) => {
        if (state !== wanted) return;
        stop();
        resolve();
      });
      if (radio.state === wanted) resolve();
    });

  const names = (): readonly (string | undefined)[] | undefined => radio.parts?.map(({ name }) => name);

  const connects = async (): Promise<void> => {
    await new Promise<void>((resolve) => {
      const stop = radio.listen(({ address, name }) => {
        if (address !== DEVICE || name === null) return;
        stop();
        resolve();
      });
    });
    right(await radio.connect(DEVICE, PROFILE)());
  };

  it('are used beside devices that are none, which are told of once and asked again', async () => {
    const [proxy, plug] = [await startProxyOf(KEY), await startPlug()];
    network = E.right([at('kitchen', proxy.port, KEY), at('plug', plug.port)]);
    right(await open());
    await untilSaid(/is no Bluetooth proxy/);
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${proxy.port})`]);
    await connects();
    searchAgain();
    await plug.visited(2);
    const { port } = await startProxyOf();
    network = E.right([at('kitchen', proxy.port, KEY), at('plug', plug.port), at('hall', port)]);
    searchAgain();
    await untilSaid(/is connected; its name is kitchen$/, 2);
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${proxy.port})`, `hall (127.0.0.1:${port})`]);
    expect(said.filter((message) => message.includes('is no Bluetooth proxy')).length).to.equal(1);
  });

  it('are found again at another address once they are gone from the first', async () => {
    const before = await startProxyOf();
    network = E.right([at('kitchen', before.port)]);
    right(await open());
    const after = await startProxyOf();
    network = E.right([at('kitchen', after.port)]);
    searchAgain();
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${before.port})`]);
    await before.close();
    await untilState('poweredOff');
    searchAgain();
    await untilState('poweredOn');
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${after.port})`]);
    await connects();
  });

  it('may come later, with an adapter beside them', async () => {
    network = E.left('mDNS does not work');
    right(await open(await fixture.radio({ time: systemTime })));
    await untilSaid(/mDNS does not work/);
    const { port } = await startProxyOf();
    network = E.right([at('kitchen', port)]);
    searchAgain();
    await untilSaid(/is connected; its name is kitchen$/);
    expect(names()).to.deep.equal(['hci0', `kitchen (127.0.0.1:${port})`]);
  });

  it('are not searched any more once the radio is closed', async () => {
    const adapter = await fixture.radio({ time: systemTime });
    right(await open(adapter));
    expect(searching?.aborted).to.equal(false);
    await radio.close();
    expect(searching?.aborted).to.equal(true);
    searching = undefined;
    searchAgain();
    expect(searching).to.equal(undefined);
  });
});
