/** The radio on proxies, with our own proxies in front of virtual radios. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import type { BleError, Link, Radio } from '../../src/ble/ports.js';
import type { Proxy } from '../../src/proxy/server.js';
import { World } from '../../simulators/control/index.js';
import {
  CHARACTERISTIC,
  DEVICE,
  Fixture,
  LONG_LIMITS,
  OTHER_DEVICE,
  PROFILE,
  recordingDevice,
  signalled,
} from '../support/bluetooth-fixture.js';
import { closedAfterEach, namedAdvertisement, openProxy } from '../support/bluetooth-proxy.js';
import { defectsDuring } from '../support/defects.js';
import { left, right } from '../support/either.js';
import { populate } from '../support/world.js';

const THIRD_DEVICE = 'D1:CE:00:00:00:03';
const KEY = Buffer.alloc(32, 9);

describe('The radio on proxies', () => {
  const ending = closedAfterEach();
  let fixture: Fixture;
  let device: Awaited<ReturnType<typeof recordingDevice>>;

  beforeEach(async () => {
    fixture = await Fixture.open();
    ending.push(() => fixture.close());
    device = await recordingDevice(fixture);
  });

  const proxy = async (slots: number, key?: Buffer): Promise<Proxy> => {
    const started = await openProxy(fixture, { slots, key });
    ending.push(started.close);
    return started;
  };

  const open = async (ports: readonly number[], key?: Buffer, beside?: Radio): Promise<Radio> => {
    const opened = await openProxyRadio({
      ...(beside !== undefined && { beside: [{ name: 'hci0', radio: beside }] }),
      proxies: ports.map((port) => ({ host: '127.0.0.1', port, key })),
      ...{ limits: LONG_LIMITS, time: systemTime, inform: () => undefined, warn: () => undefined },
    })();
    const radio = right(opened);
    ending.push(radio.close);
    return radio;
  };

  const connect = async (on: Radio, address = DEVICE): Promise<Link> => {
    await namedAdvertisement(on, address);
    return right(await on.connect(address, PROFILE)());
  };

  /** A radio on a new proxy with one slot. */
  const use = async (key?: Buffer): Promise<Radio> => {
    const { port } = await proxy(1, key);
    return open([port], key);
  };

  for (const [how, key] of [
    ['plain', undefined],
    ['encrypted', KEY],
  ] as const)
    it(`reads, writes and is notified over a ${how} connection`, async () => {
      const link = await connect(await use(key));
      expect([link.mtu, link.notifies(CHARACTERISTIC)]).to.deep.equal([256, true]);
      expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
      right(await link.write(CHARACTERISTIC, Buffer.of(1, 2))());
      const notified = signalled<string>();
      right(await link.subscribe(CHARACTERISTIC, (value) => notified.fulfil(value.toString()))());
      (await device.subscribed)(Buffer.from('R'));
      expect(await notified.promise).to.equal('R');
      expect(device.written).to.deep.equal(['0102']);
      expect(right(await link.rssi())).to.equal(null);
      await link.disconnect();
      expect(left(await link.read(CHARACTERISTIC)())._tag).to.equal('Closed');
    });

  it('reports the defect of a listener to notifications as a defect, and delivers the next notification', async () => {
    const link = await connect(await use());
    const second = signalled<string>();
    const defect = new RangeError('a defect');
    const defects = await defectsDuring(async () => {
      const listener = (value: Buffer): void => {
        if (value.toString() === 'R') throw defect;
        second.fulfil(value.toString());
      };
      right(await link.subscribe(CHARACTERISTIC, listener)());
      const notify = await device.subscribed;
      for (const text of ['R', 'S']) notify(Buffer.from(text));
      expect(await second.promise).to.equal('S');
    });
    expect(defects).to.deep.equal([defect]);
    expect(link.ended).to.equal(undefined);
  });

  it('reports why a device refuses, and goes on', async () => {
    const on = await use();
    const link = await connect(on);
    expect(left(await link.write(CHARACTERISTIC, Buffer.of(0xff))())).to.deep.include({
      ...{ _tag: 'GattFailed', operation: 'write', error: 0x0d },
    });
    right(await link.write(CHARACTERISTIC, Buffer.of(3))());
    const missing = left(await on.connect(DEVICE, [{ service: 'beef', characteristics: [] }])());
    expect(missing).to.deep.include({ _tag: 'GattFailed', reason: 'the device has no service beef' });
    expect(left(await on.connect('D1:CE:00:00:00:99', PROFILE)())._tag).to.equal('NotFound');
  });

  it('does not mistake the answer to a write without response for the answer to the next operation', async () => {
    const link = await connect(await use());
    const [first, second] = await Promise.all([
      link.write(CHARACTERISTIC, Buffer.of(1), true)(),
      link.write(CHARACTERISTIC, Buffer.of(0xff))(),
    ]);
    right(first);
    expect(left(second)).to.deep.include({ _tag: 'GattFailed', error: 0x0d });
    const [third, value] = await Promise.all([
      link.write(CHARACTERISTIC, Buffer.alloc(300), true)(),
      link.read(CHARACTERISTIC)(),
    ]);
    expect(E.isLeft(third), 'longer than the MTU').to.equal(true);
    expect(right(value).toString()).to.equal('value');
  });

  it('connects fifteen of twenty devices at once through five proxies of three slots, and names the full proxies', async () => {
    const addresses = Array.from({ length: 19 }, (_, index) => `D1:CE:00:00:01:${String(10 + index)}`);
    await Promise.all(addresses.map((address) => fixture.device({ address })));
    addresses.push(DEVICE);
    const ports = (await Promise.all([1, 2, 3, 4, 5].map(() => proxy(3)))).map(({ port }) => port);
    const on = await open(ports);
    await Promise.all(addresses.map((address) => namedAdvertisement(on, address)));
    const outcomes = await Promise.all(addresses.map((address) => on.connect(address, PROFILE)()));
    const links = outcomes.flatMap((outcome) => (E.isRight(outcome) ? [outcome.right] : []));
    const refusals = outcomes.flatMap((outcome) => (E.isLeft(outcome) ? [outcome.left] : []));
    expect(new Set(links.map(({ address }) => address)).size).to.equal(15);
    expect(refusals.map(({ _tag }) => _tag)).to.deep.equal(Array(5).fill('LinkLimit'));
    const [{ address: refused, full = '' } = expect.fail()] = refusals as Extract<
      BleError,
      { _tag: 'LinkLimit' }
    >[];
    expect(full.split(', ').sort()).to.deep.equal(
      ports.map((port) => `127.0.0.1:${port}: 3 of 3 in use`).sort(),
    );
    const values = await Promise.all(links.map((link) => link.read(CHARACTERISTIC)()));
    expect(values.map((value) => right(value).toString())).to.deep.equal(Array(15).fill('value'));
    await links[0]?.disconnect();
    right(await on.connect(refused, PROFILE)());
  });

  it('uses an adapter and proxies, the best signal first, and the adapter without proxies', async () => {
    await fixture.device({ address: OTHER_DEVICE });
    const adapter = await fixture.radio({ limits: LONG_LIMITS, time: systemTime });
    const { port, close } = await proxy(1);
    const [first = '', second = ''] = fixture.server.list().map(({ address }) => address);
    fixture.air.setReception(DEVICE, { rssi: -40 }, first);
    fixture.air.setReception(DEVICE, { rssi: -80 }, second);
    fixture.air.setReception(OTHER_DEVICE, { rssi: -90 }, first);
    fixture.air.setReception(OTHER_DEVICE, { rssi: -50 }, second);
    const on = await open([port], undefined, adapter);
    await Promise.all([namedAdvertisement(on, DEVICE, -40), namedAdvertisement(on, OTHER_DEVICE, -50)]);
    const links = [await connect(on), await connect(on, OTHER_DEVICE)];
    expect(fixture.server.list().map(({ devices }) => devices)).to.deep.equal([[DEVICE], [OTHER_DEVICE]]);
    for (const link of links) expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
    expect(on.parts?.map(({ name, isUp }) => [name, isUp])).to.deep.equal([
      ['hci0', true],
      [`127.0.0.1:${port}`, true],
    ]);
    const lost = new Promise((resolve) => links[1]?.onEnd(resolve));
    await close();
    expect(await lost).to.deep.equal({ _tag: 'LinkLost', address: OTHER_DEVICE, reason: 0x16 });
    expect([on.state, links[0]?.ended]).to.deep.equal(['poweredOn', undefined]);
  });

  describe('with cached services of a device', () => {
    /** Counts the requests for services that reach devices. */
    const countDiscoveries = (): (() => number) => {
      const { id } = fixture.air.faults.add({
        ...{ type: 'delay', device: 'all', ms: 0, stage: 'acl_to_host', opcode: 0x10 },
      });
      return () => fixture.air.faults.list().find((fault) => fault.id === id)?.hits ?? 0;
    };

    it('does not discover the services again', async () => {
      const on = await use();
      const discoveries = countDiscoveries();
      await (await connect(on)).disconnect();
      const first = discoveries();
      expect(first).to.be.greaterThan(0);
      const link = await connect(on);
      expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
      const notified = signalled<string>();
      right(await link.subscribe(CHARACTERISTIC, (value) => notified.fulfil(value.toString()))());
      (await device.subscribed)(Buffer.from('R'));
      expect(await notified.promise).to.equal('R');
      expect([discoveries(), link.mtu]).to.deep.equal([first, 256]);
    });

    it('discovers the services again when the device has been replaced', async () => {
      const characteristics = [
        { uuid: CHARACTERISTIC, properties: ['read', 'notify'], onRead: () => Buffer.from('other') },
      ] as const;
      const services = [
        { uuid: 'ff77', characteristics },
        { uuid: 'ff00', characteristics },
      ];
      const before = await fixture.device({ address: OTHER_DEVICE, services });
      const on = await use();
      await (await connect(on, OTHER_DEVICE)).disconnect();
      before.close();
      before.socket.detach();
      await fixture.device({ address: OTHER_DEVICE });
      const link = await connect(on, OTHER_DEVICE);
      expect(left(await link.read(CHARACTERISTIC)())).to.deep.include({ _tag: 'GattFailed', error: 1 });
      await link.disconnect();
      const again = await connect(on, OTHER_DEVICE);
      expect(right(await again.read(CHARACTERISTIC)()).toString()).to.equal('value');
    });

    it('discovers the services again when the device has indicated a change', async () => {
      const world = new World(fixture.air, fixture.server);
      await populate(world, [
        {
          ...{ kind: 'gatt', address: THIRD_DEVICE, address_type: 'public', name: 'changing' },
          services: [
            { uuid: 'ff00', characteristics: [{ uuid: 'ff01', properties: ['read'], value: { hex: '2a' } }] },
          ],
        },
      ]);
      const { device } = right(world.find(THIRD_DEVICE));
      const on = await use();
      const discoveries = countDiscoveries();
      await (await connect(on, THIRD_DEVICE)).disconnect();
      const once = discoveries();
      const link = await connect(on, THIRD_DEVICE);
      expect(discoveries()).to.equal(once);
      // An answer proves that earlier messages have arrived.
      right(await link.read('ff01')());
      right(device.act({ type: 'notify', characteristic: '2a05', value: { hex: '0100ffff' } }));
      right(await link.read('ff01')());
      await link.disconnect();
      const again = await connect(on, THIRD_DEVICE);
      expect(discoveries()).to.equal(2 * once);
      expect(right(await again.read('ff01')()).toString('hex')).to.equal('2a');
      await world.close();
    });
  });
});
