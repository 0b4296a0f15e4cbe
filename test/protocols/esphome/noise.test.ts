import { createPrivateKey, type KeyObject } from 'node:crypto';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { describe, it } from 'mocha';
import { initiate, NOISE_PROTOCOL, respond } from '../../../src/protocols/esphome/noise.js';
import { right } from '../../support/either.js';

const hex = (text: string): Buffer => Buffer.from(text, 'hex');

/** A private key of X25519 in PKCS #8 (RFC 8410, 7). */
const privateKey = (raw: string): KeyObject =>
  createPrivateKey({ key: hex(`302e020100300506032b656e04220420${raw}`), format: 'der', type: 'pkcs8' });

/** The test vector of Cacophony for the protocol (github.com/mcginty/snow, `tests/vectors/cacophony.txt`). */
const VECTOR = {
  prologue: hex('4a6f686e2047616c74'),
  key: hex('54686973206973206d7920417573747269616e20706572737065637469766521'),
  initiator: privateKey('893e28b9dc6ca8d611ab664754b8ceb7bac5117349a4439a6b0569da977c464a'),
  responder: privateKey('bbdb4cdbd309f1a1f2e1456967fe288cadd6f712d65dc7b7793d5e63da6b375b'),
  handshakeHash: 'f4d03dc34495c95729ea6de9e1b59004b59733102488b3e24bc441e0be208eaf',
  handshake: [
    {
      payload: hex('4c756477696720766f6e204d69736573'),
      message:
        'ca35def5ae56cec33dc2036731ab14896bc4c75dbb07a61f879f8e3afa4c794479b962b8aff8485742ac32f905ba45369e2465fb59e138a93d67a0d1266b6a54',
    },
    {
      payload: hex('4d757272617920526f746862617264'),
      message:
        '95ebc60d2b1fa672c1f46a8aa265ef51bfe38e7ccb39ec5be34069f144808843d6062704d5a9c422a8e834423f8c1feada7e8d0d910a1a2cd030fb584221e3',
    },
  ],
  /** Alternately from the initiator and from the responder. */
  messages: [
    ['462e20412e20486179656b', 'e632c3763d7669067383433197a3baddf146e9e70ad4b4e9e59e0f'],
    ['4361726c204d656e676572', '64c6bee32ea91c8474bb4c21d7a700109ad45af77b29764ba5eb1e'],
    [
      '4a65616e2d426170746973746520536179',
      'e2fa0bed0603b62d3ccac2ecabbf3fe33f3e86514909b323361626266cb2471cc8',
    ],
    [
      '457567656e2042f6686d20766f6e2042617765726b',
      '0c01dc9cec1fe4ddd692e8dd32188aa351088dc91183639a53b57aa4692b5ebdef8b8ca111',
    ],
  ],
} as const;

describe(NOISE_PROTOCOL, () => {
  const { prologue, key, handshake } = VECTOR;

  it('makes the bytes of the test vector on both sides', () => {
    const [first, second] = handshake;
    const client = initiate({ key, prologue, ephemeral: VECTOR.initiator }, first.payload);
    expect(client.message.toString('hex')).to.equal(first.message);
    const server = right(
      respond({ key, prologue, ephemeral: VECTOR.responder }, client.message, second.payload),
    );
    expect(server.payload.equals(first.payload)).to.equal(true);
    expect(server.message.toString('hex')).to.equal(second.message);
    const finished = right(client.finish(server.message));
    expect(finished.payload.equals(second.payload)).to.equal(true);
    for (const { handshakeHash } of [server, finished])
      expect(handshakeHash.toString('hex')).to.equal(VECTOR.handshakeHash);
    for (const [index, [plain, encrypted]] of VECTOR.messages.entries()) {
      const [from, to] = index % 2 === 0 ? [finished, server] : [server, finished];
      expect(from.sending.encrypt(hex(plain)).toString('hex')).to.equal(encrypted);
      expect(right(to.receiving.decrypt(hex(encrypted))).toString('hex')).to.equal(plain);
    }
  });

  it('refuses the message of a client with another key', () => {
    const client = initiate({ key: Buffer.alloc(32, 1), prologue });
    expect(respond({ key, prologue }, client.message)).to.deep.equal(E.left('forged'));
  });

  it('refuses messages that are cut short, and keys of low order', () => {
    const client = initiate({ key, prologue });
    expect(respond({ key, prologue }, client.message.subarray(0, 40))).to.deep.equal(E.left('forged'));
    expect(client.finish(Buffer.alloc(48))).to.deep.equal(E.left('forged'));
    expect(client.finish(Buffer.alloc(3))).to.deep.equal(E.left('forged'));
  });

  it('refuses a message that comes twice', () => {
    const client = initiate({ key, prologue });
    const server = right(respond({ key, prologue }, client.message));
    const message = right(client.finish(server.message)).sending.encrypt(Buffer.from('once'));
    expect(right(server.receiving.decrypt(message)).toString()).to.equal('once');
    expect(server.receiving.decrypt(message)).to.deep.equal(E.left('forged'));
  });
});
