import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import {
  encryptedClient,
  encryptedServer,
  plainFraming,
  plainServer,
  type FrameError,
  type Framing,
  type FramingUser,
} from '../../../src/protocols/esphome/index.js';
import type { Packet } from '../../../src/protocols/esphome/messages.js';

const KEY = Buffer.alloc(32, 7);
const SERVER = { key: KEY, name: 'kitchen', mac: 'a0b1c2d3e4f5' };

/** A side of a connection, with its written and received data. */
interface Side {
  readonly user: FramingUser;
  readonly written: Buffer[];
  readonly packets: Packet[];
  framing: Framing;
  ready: boolean;
  refusal: FrameError | undefined;
}

const side = (open: (user: FramingUser) => Framing): Side => {
  const written: Buffer[] = [];
  const packets: Packet[] = [];
  const user: FramingUser = {
    write: (bytes) => void written.push(bytes),
    ready: () => (made.ready = true),
    packet: ({ id, payload }) => void packets.push({ id, payload: Buffer.from(payload) }),
  };
  const made: Side = {
    ...{ user, written, packets, ready: false, refusal: undefined },
    framing: undefined as never,
  };
  made.framing = open(user);
  return made;
};

/** Delivers the written bytes in pieces of `size` bytes. */
const carry = (from: Side, to: Side, size = Infinity): void => {
  const bytes = Buffer.concat(from.written.splice(0));
  for (let at = 0; at < bytes.length && to.refusal === undefined; at += size) {
    const taken = to.framing.receive(bytes.subarray(at, at + size));
    if (E.isLeft(taken)) to.refusal = taken.left;
  }
};

const pair = (size?: number) => {
  const client = side((user) => encryptedClient(user, KEY));
  const server = side((user) => encryptedServer(user, SERVER));
  carry(client, server, size);
  carry(server, client, size);
  return { client, server };
};

describe('Frames of the ESPHome API', () => {
  it('consist of length, type and payload without encryption', () => {
    const plain = side(plainFraming);
    plain.framing.send({ id: 126, payload: Buffer.from('0802', 'hex') });
    plain.framing.send({ id: 300, payload: Buffer.alloc(200) });
    expect(plain.written.map((bytes) => bytes.subarray(0, 5).toString('hex'))).to.deep.equal([
      '00027e0802',
      '00c801ac02',
    ]);
  });

  it('arrive whole, even if their bytes are cut', () => {
    const packets = fc.array(
      fc.record({ id: fc.integer({ min: 1, max: 200 }), payload: fc.uint8Array({ maxLength: 300 }) }),
      { maxLength: 5 },
    );
    fc.assert(
      fc.property(packets, fc.integer({ min: 1, max: 40 }), fc.boolean(), (sent, size, encrypted) => {
        const { client, server } = encrypted
          ? pair(size)
          : { client: side(plainFraming), server: side(plainFraming) };
        sent.forEach((packet) => client.framing.send(packet));
        carry(client, server, size);
        expect(server.packets).to.deep.equal(
          sent.map(({ id, payload }) => ({ id, payload: Buffer.from(payload) })),
        );
      }),
    );
  });

  it('begin with the hellos of both sides with encryption', () => {
    const client = side((user) => encryptedClient(user, KEY));
    expect(Buffer.concat(client.written).subarray(0, 7).toString('hex')).to.equal('01000001003100');
    const server = side((user) => encryptedServer(user, SERVER));
    carry(client, server);
    expect(server.written[0]?.toString('latin1')).to.equal('\x01\x00\x16\x01kitchen\0a0b1c2d3e4f5\0');
    expect(client.ready).to.equal(false);
    carry(server, client);
    expect([client.ready, server.ready]).to.deep.equal([true, true]);
  });

  const refusals: readonly (readonly [string, () => Side, FrameError['_tag'], FrameError['_tag']])[] = [
    ['another key', () => side((user) => encryptedClient(user, Buffer.alloc(32))), 'WrongKey', 'WrongKey'],
    ['no key', () => side(plainFraming), 'KeyNeeded', 'NotEncrypted'],
  ];
  for (const [defect, open, ofClient, ofServer] of refusals)
    it(`refuse a client with ${defect}`, () => {
      const client = open();
      client.framing.send({ id: 1, payload: Uint8Array.of() });
      const server = side((user) => encryptedServer(user, SERVER));
      carry(client, server);
      carry(server, client);
      expect(client.refusal?._tag).to.equal(ofClient);
      expect(server.refusal?._tag).to.equal(ofServer);
    });

  it('refuse a client with a key if the server does not encrypt', () => {
    const client = side((user) => encryptedClient(user, KEY));
    const server = side(plainServer);
    carry(client, server);
    expect(server.refusal?._tag).to.equal('KeyNeeded');
    expect(Buffer.concat(server.written).toString('latin1')).to.equal('\0Bad indicator byte');
    carry(server, client);
    expect(client.refusal?._tag).to.equal('NotEncrypted');
  });

  for (const [defect, hex] of [
    ['an unknown marker', '02'],
    ['a length that does not end', '00ffffffffff'],
    ['a length beyond all messages', '0080800401'],
  ] as const)
    it(`are refused with ${defect}`, () => {
      expect(E.isLeft(side(plainFraming).framing.receive(Buffer.from(hex, 'hex')))).to.equal(true);
    });

  it('are refused if a byte has been changed', () => {
    const { client, server } = pair();
    client.framing.send({ id: 7, payload: Uint8Array.of() });
    const [frame = Buffer.alloc(0)] = client.written;
    frame.writeUInt8(frame.readUInt8(5) ^ 1, 5);
    carry(client, server);
    expect(server.refusal).to.deep.equal({ _tag: 'BadFrame', reason: 'a frame cannot be decrypted' });
  });
});
