/** Radios that are signalled during and after their end. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, describe, it } from 'mocha';
import { DEFAULT_MEMORY } from '../../src/ble/advertisement-cache.js';
import { DEVICE as DEVICE_INTERFACE } from '../../src/ble/bluez/objects.js';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import { EsphomeProxy } from '../../src/ble/esphome/proxy.js';
import type { Radio } from '../../src/ble/ports.js';
import { addressNumber } from '../../src/protocols/esphome/index.js';
import { DEVICE, Fixture, LIMITS, nextAdvertisement, PROFILE } from '../support/bluetooth-fixture.js';
import { A, BluezRig } from '../support/bluez-fixture.js';
import { FakeRadio } from '../support/fake-radio.js';
import { otherTurns } from '../support/hci-host.js';
import { keeper } from '../support/keep.js';
import { manualTime, type ManualTime } from '../support/manual-time.js';
import { scriptedProxy } from '../support/scripted-proxy.js';

interface Opened {
  readonly radio: Radio;
  readonly time: Pick<ManualTime, 'pending' | 'pass'>;
  readonly address: string;
  /** Lets a device advertise. */
  readonly signal: () => void;
  /** How many listeners it has in other radios. */
  readonly listeners?: () => number;
}

describe('A closed radio', () => {
  const keep = keeper();
  let stopSignals = (): void => undefined;
  afterEach(() => stopSignals());

  const openBluez = async (): Promise<Opened> => {
    const rig = new BluezRig();
    await rig.inRange();
    const { radio, bluez, time } = rig;
    const connections = [...bluez.clients];
    const signal = (): void => {
      for (const connection of connections)
        connection.receive({
          ...{ sender: 'org.bluez', path: bluez.pathOf(A), interface: 'org.freedesktop.DBus.Properties' },
          ...{ serial: 1, member: 'PropertiesChanged', body: [DEVICE_INTERFACE, { RSSI: -60 }, []] },
        });
    };
    return { radio, time, address: A, signal };
  };

  const openNoble = async (): Promise<Opened> => {
    const fixture = keep(await Fixture.open({ pace: 'fast' }));
    await fixture.device();
    const radio = await fixture.radio();
    // The device advertises by itself.
    return { radio, time: radio.time, address: DEVICE, signal: () => undefined };
  };

  const openProxy = async (): Promise<Opened> => {
    const time = manualTime();
    let signal = (): void => undefined;
    const { port } = keep(
      await scriptedProxy(time, ({ name }, connection) => {
        if (name === 'SubscribeAdvertisementsRequest')
          signal = () =>
            void connection.send('RawAdvertisementsResponse', {
              advertisements: [
                { address: addressNumber(DEVICE), rssi: -60, addressType: 1, data: Buffer.alloc(0) },
              ],
            });
      }),
    );
    const ignore = (): void => undefined;
    const radio = new EsphomeProxy({
      ...{ host: '127.0.0.1', port, key: undefined, time, limits: LIMITS, memory: DEFAULT_MEMORY },
      ...{ inform: ignore, warn: ignore },
    });
    const up = new Promise<void>((resolve) => radio.onState(() => resolve()));
    radio.start();
    await up;
    return { radio, time, address: DEVICE, signal: () => signal() };
  };

  const openCombined = (): Promise<Opened> => {
    const time = manualTime();
    const parts = [new FakeRadio(time), new FakeRadio(time)].map((part) => ({
      part,
      die: part.add(DEVICE),
    }));
    const radio = new CombinedRadio(
      parts.map(({ part }, index) => ({ name: `hci${index}`, radio: part })),
      () => undefined,
    );
    return Promise.resolve({
      ...{ radio, time, address: DEVICE },
      signal: () => parts.forEach(({ part, die }) => part.advertise(die)),
      listeners: () =>
        parts.reduce(
          (sum, { part }) => sum + part.listeners.size + part.observers.size + part.stateListeners.size,
          0,
        ),
    });
  };

  for (const [name, open] of [
    ['by BlueZ', openBluez],
    ['by noble', openNoble],
    ['on a proxy', openProxy],
    ['of several radios', openCombined],
  ] as const)
    it(`${name} leaves no timer and calls no listener, though devices go on advertising`, async () => {
      const { radio, time, address, signal, listeners = () => 0 }: Opened = await open();
      const seen = { isOver: false, late: 0 };
      const signals = new AbortController();
      stopSignals = () => signals.abort();
      const heard = (): void => {
        if (seen.isOver) seen.late += 1;
      };
      radio.observe(heard);
      radio.onState(heard);
      const first = nextAdvertisement(radio, (advertisement) => advertisement.address === address);
      const flood = (async () => {
        while (!signals.signal.aborted) {
          signal();
          await turn();
        }
      })();
      await first;
      radio.listen(heard);
      const closing = radio.close().then(() => {
        seen.isOver = true;
      });
      while (!seen.isOver) await time.pass(100);
      await closing;
      radio.listen(heard);
      expect(E.isLeft(await radio.connect(address, PROFILE)())).to.equal(true);
      for (let turns = 0; turns < 10; turns++) await otherTurns();
      expect([time.pending, seen.late, listeners()]).to.deep.equal([0, 0, 0]);
      stopSignals();
      await flood;
    });
});
