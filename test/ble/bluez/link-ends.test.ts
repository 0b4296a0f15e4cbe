/** The ends of links that BlueZ has made. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CHARACTERISTIC } from '../../../src/ble/bluez/objects.js';
import type { BleError } from '../../../src/ble/ports.js';
import { A, NOTIFYING, PROFILE, SERVICES, useBluez, WRITABLE } from '../../support/bluez-fixture.js';
import { left, right } from '../../support/either.js';
import { ENDED } from '../../support/fake-bus.js';
import { bluezError } from '../../support/bluez-values.js';
import { otherTurns } from '../../support/hci-host.js';

describe('A link by BlueZ ends', () => {
  const rig = useBluez();
  const lost = (reason: number | null) => ({ _tag: 'LinkLost', address: A, reason });

  for (const [reason, code] of [
    ['Timeout', 0x08],
    ['Local', 0x16],
    ['Remote', null],
    ['Unknown', null],
    ['Suspend', null],
  ] as const)
    it(`when BlueZ reports the reason ${reason}`, async () => {
      rig().bluez.hasReasons = true;
      const link = await rig().link();
      const causes: BleError[] = [];
      link.onEnd((cause) => causes.push(cause));
      rig().bluez.drop(A, reason);
      await otherTurns();
      expect([link.ended, causes]).to.deep.equal([lost(code), [lost(code)]]);
      expect(rig().radio.lastAdvertisement(A)?.rssi).to.equal(-60);
    });

  it('with its services, when BlueZ gives no reason', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    const values: Buffer[] = [];
    right(await link.subscribe(NOTIFYING, (value) => values.push(value))());
    const path = bluez.characteristic(A, NOTIFYING);
    bluez.drop(A);
    bluez.change(path, CHARACTERISTIC, { Value: Buffer.of(1) });
    await otherTurns();
    expect(link.ended).to.deep.equal(lost(null));
    expect(left(await link.read(NOTIFYING)())).to.deep.equal(lost(null));
    expect(values).to.deep.equal([]);
    expect(bluez.clients.size).to.equal(1);
  });

  it('when its own connection to the bus ends', async () => {
    const link = await rig().link();
    [...rig().bluez.clients].at(-1)?.end(ENDED);
    expect(link.ended).to.deep.equal(lost(null));
  });

  it('when BlueZ removes the device, not when it removes a characteristic', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.remove(bluez.characteristic(A, NOTIFYING));
    await otherTurns();
    expect(link.ended).to.equal(undefined);
    bluez.remove(bluez.pathOf(A));
    await otherTurns();
    expect(link.ended).to.deep.equal(lost(null));
  });

  it('when the adapter is off, the bus ends or bluetoothd is killed', async () => {
    const { bluez, radio, time } = rig();
    const causes: (BleError | undefined)[] = [];
    for (const end of [() => bluez.power(false), () => bluez.endBus(), () => bluez.kill()]) {
      bluez.device(A, { RSSI: -60 }, SERVICES);
      if (radio.state === 'unknown') await rig().listen();
      await otherTurns();
      const link = right(await radio.connect(A, PROFILE)());
      end();
      await otherTurns();
      causes.push(link.ended);
      await time.pass(2_000);
      bluez.power(true);
      await otherTurns();
    }
    expect(causes.map((cause) => cause?._tag)).to.deep.equal(['AdapterOff', 'AdapterOff', 'AdapterOff']);
  });

  it('at once for its users, and resolves when BlueZ has ended it', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    let isOver = false;
    const ended = link.disconnect().then(() => (isOver = true));
    expect(link.ended).to.deep.equal({ _tag: 'Closed', address: A });
    expect(left(await link.read(NOTIFYING)())._tag).to.equal('Closed');
    await rig().pass(1_900);
    expect(isOver).to.equal(false);
    await rig().pass(100);
    await ended;
    await link.disconnect();
    expect(
      rig()
        .calls()
        .filter((member) => member === 'Disconnect'),
    ).to.have.length(1);
    expect(bluez.clients.size).to.equal(1);
  });

  it('after 5 s if BlueZ does not end it', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.fault('Disconnect');
    const ended = link.disconnect();
    await rig().pass(4_900);
    expect(bluez.clients.size).to.equal(2);
    await rig().pass(100);
    await ended;
    expect(bluez.clients.size).to.equal(1);
  });

  it('without a timer of an operation that waited', async () => {
    const { bluez } = rig();
    const link = await rig().link();
    bluez.fault('WriteValue', bluezError('Failed', 'Not connected'));
    const written = link.write(WRITABLE, Buffer.of(1))();
    await otherTurns();
    bluez.drop(A);
    expect(left(await written)).to.deep.equal(lost(null));
    await otherTurns();
    const second = right(await rig().radio.connect(A, PROFILE)());
    bluez.foreignSubscription(A, NOTIFYING, true);
    await otherTurns();
    const subscribed = second.subscribe(NOTIFYING, () => undefined)();
    await otherTurns();
    bluez.drop(A);
    expect(left(await subscribed)).to.deep.equal(lost(null));
    await rig().radio.close();
    expect(rig().time.pending).to.equal(0);
  });
});
