import { expect } from 'chai';
import { describe, it } from 'mocha';
import { DISCONNECT_LIMIT } from '../../src/ble/noble/link.js';
import { DEVICE, LIMITS, PROFILE, useRig } from '../support/bluetooth-fixture.js';
import { otherTurns } from '../support/hci-host.js';
import { left, right } from '../support/either.js';

describe('Connecting', () => {
  const rig = useRig();

  it('finds a characteristic of 16 bits that the device lists in 128', async () => {
    await rig.device({ characteristic: { uuid: '0000000b00001000800000805f9b34fb' } });
    await rig.heard();
    const profile = PROFILE.map(({ service }) => ({ service, characteristics: ['b'] }));
    const link = right(await rig.radio.connect(DEVICE, profile)());
    expect(right(await link.read('b')()).toString()).to.equal('value');
  });

  /** An attempt that is over its limit, and that the controller does not end. */
  const unansweredAttempt = async () => {
    await rig.device();
    await rig.heard();
    rig.air.faults.add({ device: 'hci0', type: 'unanswered_command', opcode: 0x200d, times: 1 });
    const attempt = rig.connect();
    await otherTurns();
    rig.radio.time.advance(LIMITS.connect);
    return { attempt };
  };

  it('is aborted when the controller does not respond, and the next attempt succeeds', async () => {
    const { attempt } = await unansweredAttempt();
    rig.radio.time.advance(DISCONNECT_LIMIT);
    expect(left(await attempt)).to.include({ _tag: 'Timeout', operation: 'connect' });
    await rig.heard();
    right(await rig.connect());
  });

  it('is aborted at once when the adapter is gone before it has ended the attempt', async () => {
    const { attempt } = await unansweredAttempt();
    rig.fixture.server.power('hci0', false);
    expect(left(await attempt)).to.include({ _tag: 'Timeout', operation: 'connect' });
  });

  it('ends the link of a linked device and makes a new one', async () => {
    await rig.device();
    const first = await rig.link();
    const connecting = rig.connect();
    const second = right(await connecting);
    expect(first.ended).to.deep.equal({ _tag: 'Closed', address: DEVICE });
    expect(second.ended).to.equal(undefined);
  });

  it('does not begin if it was aborted before', async () => {
    await rig.device();
    const link = await rig.link();
    expect(left(await rig.connect(DEVICE, AbortSignal.abort()))).to.deep.equal({
      _tag: 'Closed',
      address: DEVICE,
    });
    expect(link.ended).to.equal(undefined);
  });

  it('is not aborted once there is a link', async () => {
    await rig.device();
    await rig.heard();
    const abort = new AbortController();
    const link = right(await rig.connect(DEVICE, abort.signal));
    abort.abort();
    await otherTurns();
    expect(link.ended).to.equal(undefined);
  });
});
