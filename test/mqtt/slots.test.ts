import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { beforeEach, describe, it } from 'mocha';
import { limitsOf } from '../../src/mqtt/requests.js';
import { openSlots, type TakeSlot } from '../../src/operations/index.js';

describe('The slots for commands over MQTT', () => {
  let takeSlot: TakeSlot;
  let releases: (() => void)[];

  /** How many of `count` commands get a slot. */
  const take = (count: number, client: string, command: string): number => {
    const before = releases.length;
    for (let index = 0; index < count; index++) {
      const slot = takeSlot(limitsOf(client, command));
      if (E.isRight(slot)) releases.push(slot.right);
    }
    return releases.length - before;
  };

  const refusal = (client: string, command: string): string => {
    const slot = takeSlot(limitsOf(client, command));
    return E.isLeft(slot) && slot.left.code === 'too_many_requests' ? slot.left.message : 'accepted';
  };

  beforeEach(() => {
    takeSlot = openSlots();
    releases = [];
  });

  it('leave half of the room to other clients', () => {
    expect(take(100, 'one', 'connect') + take(100, 'one', 'led')).to.equal(128);
    expect(refusal('one', 'status')).to.equal(
      'too many commands at once: a client may have 128 under way over MQTT',
    );
    expect(take(200, 'two', 'led')).to.equal(100);
    expect(take(200, 'two', 'status')).to.equal(28);
    expect(refusal('three', 'status')).to.equal(
      'too many commands at once: a server may have 256 under way over MQTT',
    );
  });

  it('leave half of the room to other commands, however many clients there seem to be', () => {
    const taken = Array.from({ length: 300 }, (_, index) => take(1, String(index), 'connect'));
    expect(taken.filter((count) => count === 1)).to.have.length(128);
    expect(refusal('one', 'connect')).to.equal(
      'too many connect commands at once: a server may have 128 under way over MQTT',
    );
    expect(take(1, 'one', 'status')).to.equal(1);
  });

  it('are eight for the scans of a client, and 32 for all scans', () => {
    for (const client of ['one', 'two', 'three', 'four']) expect(take(300, client, 'scan')).to.equal(8);
    expect(refusal('one', 'scan')).to.include('a server may have 32');
    releases.pop()?.();
    expect(refusal('one', 'scan')).to.equal(
      'too many scan commands at once: a client may have 8 under way over MQTT',
    );
    expect(take(2, 'five', 'scan')).to.equal(1);
  });
});
