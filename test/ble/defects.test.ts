import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CHARACTERISTIC, DEVICE, signalled, useRig } from '../support/bluetooth-fixture.js';
import { PeripheralHost } from '../../simulators/ble/peripheral-host.js';
import { VirtualSocket } from '../../simulators/radio/index.js';
import { stillAir } from '../support/hci-scenes.js';
import { bytes, otherTurns } from '../support/hci-host.js';
import { defectsDuring } from '../support/defects.js';
import { left, right } from '../support/either.js';

const defect = new RangeError('a defect');
const fails = (): never => {
  throw defect;
};

describe('Radios and virtual devices', () => {
  const rig = useRig();

  it('report the defect of a listener to notifications as a defect; the link and the next notification are not affected', async () => {
    const subscribed = signalled<(value: Buffer) => void>();
    await rig.device({ characteristic: { onSubscribe: subscribed.fulfil } });
    const link = await rig.link();
    const second = signalled<Buffer>();
    const defects = await defectsDuring(async () => {
      const listener = (value: Buffer): void => (value[0] === 1 ? fails() : second.fulfil(value));
      right(await link.subscribe(CHARACTERISTIC, listener)());
      const notify = await subscribed.promise;
      notify(Buffer.of(1));
      notify(Buffer.of(2));
      expect(await second.promise).to.deep.equal(Buffer.of(2));
    });
    expect(defects).to.deep.equal([defect]);
    expect(rig.radio.warnings).to.deep.equal([]);
    expect(link.ended).to.equal(undefined);
  });

  it('report the defect of a listener to advertisements as a defect, and other listeners get the advertisement', async () => {
    const defects = await defectsDuring(async () => {
      const stop = rig.radio.listen((advertisement) => {
        if (advertisement.address === DEVICE) fails();
      });
      await Promise.all([rig.heard(), rig.device()]);
      stop();
    });
    expect(defects).to.include(defect);
    expect(rig.radio.warnings).to.deep.equal([]);
  });

  it('do not keep a listener from writing to the console', async () => {
    const consoleWarn = console.warn;
    const words: unknown[] = [];
    console.warn = (...texts: readonly unknown[]) => words.push(...texts);
    await rig.device({ characteristic: { onSubscribe: (notify) => notify(Buffer.of(1)) } });
    const stop = rig.radio.listen(() => console.warn('from a listener'));
    await rig.heard();
    stop();
    console.warn = consoleWarn;
    expect(words).to.include('from a listener');
    expect(rig.radio.warnings).to.deep.equal([]);
  });

  it('report the defect of a device as a defect; its answer is Unlikely Error, and the link goes on', async () => {
    await rig.device({ characteristic: { onWrite: fails, onSubscribe: fails } });
    const link = await rig.link();
    const defects = await defectsDuring(async () => {
      expect(left(await link.write(CHARACTERISTIC, Buffer.of(1))())).to.include({ error: 0x0e });
      right(await link.subscribe(CHARACTERISTIC, () => undefined)());
    });
    expect(defects).to.deep.equal([defect, defect]);
    expect(right(await link.read(CHARACTERISTIC)()).toString()).to.equal('value');
  });
});

describe('The host of a described device', () => {
  const nothing = (): void => undefined;
  const listener = { linkMade: nothing, linkEnded: nothing, receive: nothing, refused: nothing };

  it('ignores events that are cut short', async () => {
    const { air } = stillAir();
    const fault = air.faults.add({ device: DEVICE, type: 'truncated_event', bytes: 0 });
    new PeripheralHost(new VirtualSocket(air, { address: DEVICE, maxLinks: 1 }), listener);
    await otherTurns();
    expect(air.faults.list().find(({ id }) => id === fault.id)?.hits).to.be.greaterThan(0);
  });

  it('reports the defect of the device, and processes the next packet', async () => {
    const { air } = stillAir();
    const socket = new VirtualSocket(air, { address: DEVICE, maxLinks: 1 });
    const host = new PeripheralHost(socket, { ...listener, linkMade: fails });
    const defects = await defectsDuring(async () => {
      socket.emit('data', bytes('04 3E 13 01 00 40 00 01 00 01 00 00 A1 02 02 02 18 00 00 00 48 00 00'));
      await otherTurns();
    });
    expect(defects).to.deep.equal([defect]);
    expect(host.connected).to.equal(true);
    socket.emit('data', bytes('04 05 04 00 40 00 13'));
    expect(host.connected).to.equal(false);
  });
});
