import { expect } from 'chai';
import { describe, it } from 'mocha';
import { reversed } from '../../../simulators/ble/aes.js';
import { c1, s1 } from '../../../simulators/smp/crypto.js';
import { EventCode } from '../../../src/ble/hci/packets.js';
import { Channel } from '../../support/att-host.js';
import { bytes, isAcl, isEvent, otherTurns, text } from '../../support/hci-host.js';
import { CENTRAL } from '../../support/hci-scenes.js';
import { ADDRESS, hostOf, serviceOf } from './scene.js';

/** The name of a key in LE Enable Encryption. */
interface KeyName {
  readonly random: Buffer;
  readonly encryptedDiversifier: number;
}
const UNNAMED: KeyName = { random: Buffer.alloc(8), encryptedDiversifier: 0 };

/** A device whose characteristic 0x000c notifies, and a host that bonds by legacy pairing. */
const scene = async () => {
  const services = serviceOf({ uuid: '1111', properties: ['notify'] });
  const link = await hostOf({ pairing: {}, ...services });
  const { host, device, askOn, ask, connect, disconnect } = link;
  const pair = async (command: Buffer): Promise<Buffer> =>
    bytes(await askOn(Channel.security, text(command)));
  const encrypt = async (longTermKey: Buffer, name = UNNAMED): Promise<void> => {
    await host.status('leEnableEncryption', { handle: link.handle, ...name, longTermKey });
    await host.next(isEvent(EventCode.encryptionChange));
    await otherTurns();
  };
  /** Bonds by Just Works; returns the key and its name, which encrypt the next links. */
  const bond = async () => {
    const request = bytes('01 03 00 01 10 00 01');
    const response = await pair(request);
    const attempt = {
      ...{ request: reversed(request), response: reversed(response) },
      initiator: { address: CENTRAL, type: 'public' as const },
      responder: { address: ADDRESS, type: 'random' as const },
    };
    const [key, random] = [Buffer.alloc(16), Buffer.alloc(16, 7)];
    await pair(Buffer.concat([bytes('03'), reversed(c1(key, random, attempt))]));
    const theirs = reversed((await pair(Buffer.concat([bytes('04'), reversed(random)]))).subarray(1));
    await encrypt(reversed(s1(key, theirs, random)));
    const [information, identification] = host.take(isAcl).map((packet) => packet.subarray(10));
    return {
      longTermKey: information ?? Buffer.alloc(0),
      name: {
        encryptedDiversifier: identification?.readUInt16LE(0) ?? 0,
        random: identification?.subarray(2) ?? Buffer.alloc(0),
      },
    };
  };
  return {
    ...{ connect, disconnect, encrypt, bond },
    subscribe: () => ask('12 0d 00 01 00'),
    subscribed: () => device.model()['subscribed'],
  };
};

describe('The subscriptions of a host that has bonded with a device from a file', () => {
  it('outlast a link that was not encrypted (Core 5.4 Vol 3 Part G 3.3.3.3)', async () => {
    const { connect, disconnect, encrypt, bond, subscribe, subscribed } = await scene();
    await connect();
    const { longTermKey, name } = await bond();
    await subscribe();
    await disconnect();
    await connect();
    await encrypt(longTermKey, name);
    expect(subscribed(), 'on the next link').to.deep.equal(['1111']);
    await disconnect();
    await connect();
    expect(subscribed(), 'without encryption').to.deep.equal([]);
    await disconnect();
    await connect();
    await encrypt(longTermKey, name);
    expect(subscribed()).to.deep.equal(['1111']);
  });

  it('do not pass to a host that pairs anew from the same address', async () => {
    const { connect, disconnect, bond, subscribe, subscribed } = await scene();
    await connect();
    await bond();
    await subscribe();
    await disconnect();
    await connect();
    await bond();
    expect(subscribed()).to.deep.equal([]);
  });
});
