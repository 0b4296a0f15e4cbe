import { expect } from 'chai';
import { describe, it } from 'mocha';
import { LeSubevent, events } from '../../src/ble/hci/packets.js';
import { bytes, isLeEvent, text, type AirHost } from '../support/hci-host.js';
import { linked, pair } from '../support/hci-scenes.js';
import { begun, scenes } from '../support/scenes.js';

const OTHER_KEY = `longTermKey=x${'EE'.repeat(16)}`;

const START = 'central leEnableEncryption; peripheral hears longTermKeyRequest';

describe('Encryption', () => {
  scenes(
    {
      'requests the key from the peripheral by the numbers that the central gave': `
        central leEnableEncryption random=xF0F1F2F3F4F5F6F7 encryptedDiversifier=0x1234
        peripheral hears 04 3E 0D 05 40 00 F0 F1 F2 F3 F4 F5 F6 F7 34 12`,
      'is reported to both sides when the keys agree': `
        ${START}; peripheral leLongTermKeyRequestReply
        central hears 04 08 04 00 40 00 01; peripheral hears 04 08 04 00 40 00 01`,
      'fails with 0x06 at the central when the peripheral has no key, and the link lives': `
        ${START}; peripheral leLongTermKeyRequestNegativeReply -> handle=0x40
        central hears 04 08 04 06 40 00 00, nothing; peripheral hears nothing`,
      'ends the link with 0x3D when the keys differ': `
        ${START}; peripheral leLongTermKeyRequestReply ${OTHER_KEY}
        central hears disconnectionComplete reason=0x3d; peripheral hears disconnectionComplete reason=0x3d`,
      'fails with 0x06 if the peripheral’s host has masked requests for keys': `
        peripheral leSetEventMask mask=x0F00000000000000; central leEnableEncryption
        central hears 04 08 04 06 40 00 00`,
      'loses the link with 0x22 if the peripheral’s host never responds': `
        ${START}; 40000 ms; central hears disconnectionComplete reason=0x22`,
    },
    linked,
  );
});

describe('An encrypted link', () => {
  scenes(
    {
      // Key refresh is bit 47: the default mask leaves it out, these hosts do not.
      'reports a new key as a refresh': `
        central leEnableEncryption ${OTHER_KEY}; peripheral hears longTermKeyRequest
        peripheral leLongTermKeyRequestReply ${OTHER_KEY}
        central hears 04 30 03 00 40 00, nothing; peripheral hears 04 30 03 00 40 00, nothing`,
      'ends with 0x06 without a new key': `
        ${START}; peripheral leLongTermKeyRequestNegativeReply; central hears disconnectionComplete reason=6`,
      'ends with 0x3D if the new keys differ': `
        ${START}; peripheral leLongTermKeyRequestReply ${OTHER_KEY}
        peripheral hears disconnectionComplete reason=0x3d`,
      'carries data like an unencrypted link':
        'central sends 01 00 04 00 0B; peripheral hears data 01 00 04 00 0B',
    },
    begun(`${START}; peripheral leLongTermKeyRequestReply; central forgets; peripheral forgets`, linked),
  );
});

describe('Cryptography', () => {
  it('encrypts the AES-128 sample of the specification (Core 5.4 Vol 6 Part C 1.1)', async () => {
    const { central } = await pair();
    // The sample stands most significant octet first, HCI takes the least significant one first.
    const key = bytes('4C68384139F574D836BCF34E9DFB01BF').reverse();
    const plaintext = bytes('0213243546576879ACBDCEDFE0F10213').reverse();
    const answer = await central.returned('leEncrypt', { key, plaintext });
    expect(text(Buffer.from(answer?.encrypted ?? []).reverse())).to.equal(
      text(bytes('99AD1B5226A37E3E058E3B8E27C2C666')),
    );
  });

  it('returns a different random number each time', async () => {
    const { central } = await pair();
    const numbers = new Set<string>();
    for (let times = 0; times < 20; times++) {
      numbers.add(text((await central.returned('leRand', {}))?.random ?? Buffer.alloc(0)));
    }
    expect(numbers.size).to.equal(20);
  });

  const publicKey = async (host: AirHost) => {
    expect(await host.status('leReadLocalP256PublicKey', {})).to.equal(0);
    const event = await host.next(isLeEvent(LeSubevent.readLocalP256PublicKeyComplete));
    return events.readLocalP256PublicKeyComplete.read(event.subarray(4));
  };

  const sharedKey = async (host: AirHost, { x, y }: { x: Buffer; y: Buffer }) => {
    expect(await host.status('leGenerateDhKey', { x, y })).to.equal(0);
    const event = await host.next(isLeEvent(LeSubevent.generateDhKeyComplete));
    return events.generateDhKeyComplete.read(event.subarray(4));
  };

  it('gives two controllers one key from each other’s public keys', async () => {
    const { central, peripheral } = await pair();
    const [a, b] = [await publicKey(central), await publicKey(peripheral)];
    const [ab, ba] = [await sharedKey(central, b), await sharedKey(peripheral, a)];
    expect([ab.status, ba.status]).to.deep.equal([0, 0]);
    expect(text(ab.key)).to.equal(text(ba.key));
    expect(text((await publicKey(central)).x), 'a new pair each time').to.not.equal(text(a.x));
  });

  it('refuses a point off the curve with 0x12', async () => {
    const { central } = await pair();
    await publicKey(central);
    const { status } = await sharedKey(central, { x: Buffer.alloc(32, 1), y: Buffer.alloc(32, 2) });
    expect(status).to.equal(0x12);
  });
});
