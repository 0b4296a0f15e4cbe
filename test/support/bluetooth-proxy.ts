/** Proxies on virtual radios, and radios on proxies. */
import { afterEach } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import type { AdapterState, Advertisement, Radio } from '../../src/ble/ports.js';
import { startProxy, type Proxy, type ProxyOptions } from '../../src/proxy/server.js';
import type { Fixture } from './bluetooth-fixture.js';
import { right } from './either.js';
import { silent } from './log.js';

/** A proxy with one slot, without a key, on a radio of its own. */
export const openProxy = async (fixture: Fixture, options: Partial<ProxyOptions> = {}): Promise<Proxy> =>
  right(
    await startProxy({
      ...{ radio: options.radio ?? (await fixture.radio()), time: systemTime, log: silent, key: undefined },
      ...{ address: '127.0.0.1', port: 0, name: 'kitchen', mac: 'A0:B1:C2:D3:E4:F5', slots: 1 },
      ...options,
    })(),
  );

/** Closes everything in it after each test of the suite, the latest first. */
export const closedAfterEach = (): (() => unknown)[] => {
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  return open;
};

/** Resolves when the radio is, or becomes, `state`. */
export const untilState = (radio: Pick<Radio, 'state' | 'onState'>, expected: AdapterState): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (radio.state !== expected) return;
      stop();
      resolve();
    };
    const stop = radio.onState(check);
    check();
  });

/** The next advertisement of a device that contains its name, and has `rssi` if given. */
export const namedAdvertisement = (radio: Radio, device: string, rssi?: number): Promise<Advertisement> =>
  new Promise((resolve) => {
    const stop = radio.listen((advertisement) => {
      const { address, name } = advertisement;
      if (address !== device || name === null || advertisement.rssi !== (rssi ?? advertisement.rssi)) return;
      stop();
      resolve(advertisement);
    });
  });
