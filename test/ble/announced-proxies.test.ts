/** The radio of `--proxy auto`: proxies that appear, change their address and disappear, among other devices of ESPHome. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { SEARCH_PAUSE_MS, type AnnouncedAddress } from '../../src/ble/esphome/announced.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import type { BleError, Radio } from '../../src/ble/ports.js';
import type { Proxy } from '../../src/proxy/server.js';
import { DEVICE, Fixture, LONG_LIMITS, PROFILE } from '../support/bluetooth-fixture.js';
import { closedAfterEach, namedAdvertisement, openProxy, untilState } from '../support/bluetooth-proxy.js';
import { right } from '../support/either.js';
import { scriptedProxy } from '../support/scripted-proxy.js';

const KEY = Buffer.alloc(32, 9);

describe('The radio of --proxy auto', () => {
  let fixture: Fixture;
  let radio: Radio;
  const ending = closedAfterEach();
  /** The result of a search. */
  let network: E.Either<string, readonly AnnouncedAddress[]>;
  let searchAgain: () => void;
  let searching: AbortSignal | undefined;
  let logged: string[];
  let onLogged: () => void;

  /** The system's time, in which only searches wait for the test. */
  const time: TimeSource = {
    ...systemTime,
    after: (ms, task) => {
      if (ms !== SEARCH_PAUSE_MS) return systemTime.after(ms, task);
      searchAgain = task;
      return () => (searchAgain = () => undefined);
    },
  };

  beforeEach(async () => {
    [network, logged, onLogged] = [E.right([]), [], () => undefined];
    fixture = await Fixture.open();
    ending.push(() => fixture.close());
    await fixture.device();
  });

  const startKitchen = async (key?: Buffer): Promise<Proxy> => {
    const proxy = await openProxy(fixture, { key });
    ending.push(proxy.close);
    return proxy;
  };

  /** A device of ESPHome without Bluetooth. `visited` resolves when clients have connected `times` times. */
  const startPlug = async () => {
    let visits = 0;
    let onVisit = (): void => undefined;
    const { port, close } = await scriptedProxy(
      systemTime,
      ({ name }) => {
        if (name !== 'DeviceInfoRequest') return;
        visits += 1;
        onVisit();
      },
      0,
    );
    ending.push(close);
    const visited = async (times: number): Promise<void> => {
      while (visits < times) await new Promise<void>((resolve) => (onVisit = resolve));
    };
    return { port, visited };
  };

  const at = (name: string, port: number, key?: Buffer): AnnouncedAddress => ({
    ...{ name, host: '127.0.0.1', port, key },
  });

  const log = (message: string): void => {
    logged.push(message);
    onLogged();
  };

  const search = (signal?: AbortSignal) => {
    searching = signal;
    return () => Promise.resolve(network);
  };

  const open = async (beside?: Radio): Promise<E.Either<BleError, Radio>> => {
    const opened = await openProxyRadio({
      ...(beside !== undefined && { beside: [{ name: 'hci0', radio: beside }] }),
      ...{ proxies: [], search, limits: LONG_LIMITS, time },
      ...{ inform: log, warn: log, memory: { devices: 100, ms: SEARCH_PAUSE_MS / 2 } },
    })();
    if (E.isRight(opened)) {
      radio = opened.right;
      ending.push(radio.close);
    }
    return opened;
  };

  const untilLogged = async (pattern: RegExp, times = 1): Promise<void> => {
    while (logged.filter((message) => pattern.test(message)).length < times) {
      await new Promise<void>((resolve) => (onLogged = resolve));
    }
  };

  const names = (): readonly (string | undefined)[] | undefined => radio.parts?.map(({ name }) => name);

  const connects = async (): Promise<void> => {
    await namedAdvertisement(radio, DEVICE);
    right(await radio.connect(DEVICE, PROFILE)());
  };

  it('uses proxies, logs once why another device is not used, and tries the device again at the next search', async () => {
    const [proxy, plug] = [await startKitchen(KEY), await startPlug()];
    network = E.right([at('kitchen', proxy.port, KEY), at('plug', plug.port)]);
    right(await open());
    await untilLogged(/is not a Bluetooth proxy/);
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${proxy.port})`]);
    await connects();
    searchAgain();
    await plug.visited(2);
    const { port } = await startKitchen();
    network = E.right([at('kitchen', proxy.port, KEY), at('plug', plug.port), at('hall', port)]);
    searchAgain();
    await untilLogged(/is connected; its name is kitchen$/, 2);
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${proxy.port})`, `hall (127.0.0.1:${port})`]);
    expect(logged.filter((message) => message.includes('is not a Bluetooth proxy')).length).to.equal(1);
  });

  it('finds a proxy at its new address once the old one fails', async () => {
    const before = await startKitchen();
    network = E.right([at('kitchen', before.port)]);
    right(await open());
    const after = await startKitchen();
    network = E.right([at('kitchen', after.port)]);
    searchAgain();
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${before.port})`]);
    await before.close();
    await untilState(radio, 'poweredOff');
    searchAgain();
    await untilState(radio, 'poweredOn');
    expect(names()).to.deep.equal([`kitchen (127.0.0.1:${after.port})`]);
    await connects();
  });

  it('adds a proxy that is announced after the start to an adapter', async () => {
    network = E.left('mDNS does not work');
    right(await open(await fixture.radio({ limits: LONG_LIMITS, time: systemTime })));
    await untilLogged(/mDNS does not work/);
    const { port } = await startKitchen();
    network = E.right([at('kitchen', port)]);
    searchAgain();
    await untilLogged(/is connected; its name is kitchen$/);
    expect(names()).to.deep.equal(['hci0', `kitchen (127.0.0.1:${port})`]);
  });

  it('stops searching when it is closed', async () => {
    const adapter = await fixture.radio({ limits: LONG_LIMITS, time: systemTime });
    right(await open(adapter));
    expect(searching?.aborted).to.equal(false);
    await radio.close();
    expect(searching?.aborted).to.equal(true);
    searching = undefined;
    searchAgain();
    expect(searching).to.equal(undefined);
  });
});
