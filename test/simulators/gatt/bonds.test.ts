import { expect } from 'chai';
import { describe, it } from 'mocha';
import { World, decodeSpecs } from '../../../simulators/control/index.js';
import { H4Server } from '../../../simulators/radio/index.js';
import { c1, s1 } from '../../../simulators/smp/crypto.js';
import { linkAddress } from '../../../simulators/smp/index.js';
import { Boundary, EventCode } from '../../../src/ble/hci/packets.js';
import { Status } from '../../../src/ble/hci/status.js';
import { right } from '../../support/either.js';
import { bytes, isAcl, isEvent, otherTurns } from '../../support/hci-host.js';
import { CENTRAL, connectionTo, hostOn, stillAir } from '../../support/hci-scenes.js';
import { ADDRESS, serviceOf } from './scene.js';

const [ATT, SECURITY] = [4, 6];
/** As LE Enable Encryption names a key. */
interface KeyName {
  readonly random: Buffer;
  readonly encryptedDiversifier: number;
}
const UNNAMED: KeyName = { random: Buffer.alloc(8), encryptedDiversifier: 0 };

const reversed = (octets: Buffer): Buffer => Buffer.from(octets).reverse();

/** A device whose characteristic 0x000c notifies, and a host that bonds by legacy pairing. */
const scene = async () => {
  const { air, time } = stillAir();
  const world = new World(air, new H4Server(air));
  const described = { pairing: {}, ...serviceOf({ uuid: '1111', properties: ['notify'] }) };
  right(await world.populate(right(decodeSpecs([{ kind: 'gatt', ...described }])))());
  const host = await hostOn(air, { address: CENTRAL });
  let handle = 0;
  const connect = async (): Promise<void> => {
    await host.status('leCreateConnection', { ...connectionTo(ADDRESS), peerAddressType: 1 });
    time.advance(110);
    ({ handle } = await host.connected());
    await otherTurns();
  };
  const disconnect = async (): Promise<void> => {
    await host.status('disconnect', { handle, reason: Status.remoteUserTerminated });
    await host.disconnected();
    await otherTurns();
  };
  const ask = async (channel: number, content: Buffer): Promise<Buffer> => {
    const header = Buffer.from([content.length, 0, channel, 0]);
    host.acl(handle, Boundary.firstFromHost, Buffer.concat([header, content]));
    return (await host.next(isAcl)).subarray(9);
  };
  const encrypt = async (longTermKey: Buffer, name = UNNAMED): Promise<void> => {
    await host.status('leEnableEncryption', { handle, ...name, longTermKey });
    await host.next(isEvent(EventCode.encryptionChange));
    await otherTurns();
  };
  /** Just Works; the key and its name, which encrypt the next links. */
  const bond = async () => {
    const request = bytes('01 03 00 01 10 00 01');
    const response = await ask(SECURITY, request);
    const attempt = {
      ...{ request: reversed(request), response: reversed(response) },
      initiator: linkAddress(CENTRAL, 'public'),
      responder: linkAddress(ADDRESS, 'random'),
    };
    const [key, random] = [Buffer.alloc(16), Buffer.alloc(16, 7)];
    await ask(SECURITY, Buffer.concat([bytes('03'), reversed(c1(key, random, attempt))]));
    const theirs = reversed(
      (await ask(SECURITY, Buffer.concat([bytes('04'), reversed(random)]))).subarray(1),
    );
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
    subscribe: () => ask(ATT, bytes('12 0d 00 01 00')),
    subscribed: () => right(world.find(ADDRESS)).device.model()['subscribed'],
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

  it('do not pass to a host that pairs anew by its address', async () => {
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
