/** A link whose notifications another program receives through BlueZ, too. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { CombinedRadio } from '../../../src/ble/combined-radio.js';
import { A, B, LIMITS, NOTIFYING, useBluez } from '../../support/bluez-fixture.js';
import { bluezError } from '../../support/bluez-values.js';
import { right } from '../../support/either.js';
import { otherTurns } from '../../support/hci-host.js';

const SHARED =
  'another program on this machine receives the notifications of D1:CE:00:00:00:01 through BlueZ, too: ' +
  'each counts once, but some may be lost when that program ends: end it, or its connection to the device';

describe('A link by BlueZ to whose device another program subscribes later', () => {
  const rig = useBluez();

  /** The calls about subscriptions since the last use. */
  const subscriptions = () =>
    rig()
      .calls()
      .filter((member) => member.endsWith('Notify'));

  /** A link with a subscription, and what it has received. */
  const subscribed = async () => {
    const { bluez, messages } = rig();
    const link = await rig().link();
    const values: string[] = [];
    right(await link.subscribe(NOTIFYING, (value) => values.push(value.toString('hex')))());
    messages.splice(0);
    /** Notifications at once. */
    const notify = async (...all: readonly number[]): Promise<void> => {
      for (const value of all) bluez.notify(A, NOTIFYING, Buffer.of(value));
      await otherTurns();
    };
    const foreign = async (isOn: boolean): Promise<void> => {
      bluez.foreignSubscription(A, NOTIFYING, isOn);
      await otherTurns();
    };
    const { radio } = rig();
    const part = { name: 'bluez:hci0', radio, problem: () => radio.partProblem };
    const problem = () => new CombinedRadio([part], () => undefined).parts[0]?.problem;
    return { bluez, messages, link, values, notify, foreign, problem };
  };

  it('delivers each notification once from the first one on, and says so', async () => {
    const { messages, values, notify, foreign, problem } = await subscribed();
    await notify(1);
    await foreign(true);
    await notify(2, 3, 3);
    await notify(3);
    await notify(4);
    expect(values).to.deep.equal(['01', '02', '03', '03', '03', '04']);
    expect([messages, problem()]).to.deep.equal([[`warning: ${SHARED}`], SHARED]);
    expect(subscriptions()).to.deep.equal(['StartNotify', 'StopNotify']);
  });

  it('subscribes again when the other program has ended', async () => {
    const { messages, values, notify, foreign, problem } = await subscribed();
    await foreign(true);
    await notify(1);
    await foreign(false);
    await notify(2, 3);
    expect(values).to.deep.equal(['01', '02', '03']);
    expect(messages.at(-1)).to.equal(
      'no other program receives the notifications of D1:CE:00:00:00:01 any more',
    );
    expect(problem()).to.equal(undefined);
    expect(subscriptions()).to.deep.equal(['StartNotify', 'StopNotify', 'StartNotify']);
  });

  it('leaves its device to the other program, and says so', async () => {
    const { link, messages, notify, foreign } = await subscribed();
    await foreign(true);
    await notify(1);
    await link.disconnect();
    expect(rig().calls()).not.to.include('Disconnect');
    expect(messages.at(-1)).to.equal(
      'D1:CE:00:00:00:01 stays connected to this machine: another program uses it',
    );
  });

  it('keeps equal notifications of the device itself, and examines them once in a minute', async () => {
    const { bluez, messages, values, notify } = await subscribed();
    bluez.device(B, { RSSI: -50 });
    await otherTurns();
    await notify(1, 1);
    await notify(2, 2);
    await rig().pass(60_000);
    await notify(3);
    await rig().pass(1_000);
    await notify(3);
    bluez.hear(B, { RSSI: -60 });
    await notify(3);
    expect(values).to.deep.equal(['01', '01', '02', '02', '03', '03', '03']);
    expect(messages).to.deep.equal([]);
    expect(subscriptions()).to.deep.equal(['StartNotify', 'StopNotify', 'StartNotify']);
    await notify(4, 4);
    expect(subscriptions()).to.deep.equal(['StopNotify', 'StartNotify']);
  });

  it('takes equal notifications that are 0.1 s apart for those of the device, without an examination', async () => {
    const { values, notify } = await subscribed();
    await notify(1);
    await rig().pass(100);
    await notify(1);
    expect([values, subscriptions()]).to.deep.equal([['01', '01'], ['StartNotify']]);
  });

  for (const member of ['StopNotify', 'StartNotify'])
    it(`ends if BlueZ does not answer ${member} within the limit of an operation`, async () => {
      const { bluez, link, notify } = await subscribed();
      bluez.fault(member);
      await notify(1, 1);
      await rig().pass(LIMITS.gatt);
      const timeout = { _tag: 'Timeout', address: A, operation: 'subscription', ms: LIMITS.gatt };
      expect(link.ended).to.deep.equal(timeout);
    });

  it('ends if it cannot subscribe again', async () => {
    const { bluez, link, notify, foreign } = await subscribed();
    await foreign(true);
    await notify(1);
    bluez.fault('StartNotify', bluezError('NotPermitted', 'Notify acquired'));
    await foreign(false);
    await rig().pass(1_000);
    expect(link.ended).to.include({ _tag: 'GattFailed', operation: 'subscription' });
  });
});
