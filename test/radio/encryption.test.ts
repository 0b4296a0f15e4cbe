import { expect } from 'chai';
import { describe, it } from 'mocha';
import { EventCode, LeSubevent, events } from '../../src/ble/hci/packets.js';
import { bytes, isEvent, isLeEvent, otherTurns, text, type AirHost } from '../support/hci-host.js';
import { linked, pair } from '../support/hci-scenes.js';

const key = bytes('00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F');
const asked = isLeEvent(LeSubevent.longTermKeyRequest);
const encrypted = isEvent(EventCode.encryptionChange);
const refreshed = isEvent(EventCode.encryptionKeyRefreshComplete);

const encryptedLink = async () => {
  const link = await linked();
  const { central, peripheral, centralHandle, peripheralHandle: handle } = link;
  // Key refresh is bit 47: the default mask leaves it out, these hosts do not.
  const start = (longTermKey = key): Promise<number> =>
    central.status('leEnableEncryption', {
      handle: centralHandle,
      random: Buffer.alloc(8),
      encryptedDiversifier: 0,
      longTermKey,
    });
  await start();
  await peripheral.next(asked);
  await peripheral.status('leLongTermKeyRequestReply', { handle, longTermKey: key });
  await Promise.all([central.next(encrypted), peripheral.next(encrypted)]);
  return { ...link, handle, start };
};

describe('An encrypted link', () => {
  it('gets a new key in the same way, reported as a refresh', async () => {
    const { central, peripheral, handle, start } = await encryptedLink();
    const fresh = Buffer.alloc(16, 0x11);
    await start(fresh);
    await peripheral.next(asked);
    await peripheral.status('leLongTermKeyRequestReply', { handle, longTermKey: fresh });
    expect(text(await central.next(refreshed))).to.equal('04 30 03 00 40 00');
    expect(text(await peripheral.next(refreshed))).to.equal('04 30 03 00 40 00');
    expect([...central.take(encrypted), ...peripheral.take(encrypted)]).to.deep.equal([]);
  });

  it('ends with 0x06 without a new key, and with 0x3D if the new keys differ', async () => {
    const without = await encryptedLink();
    await without.start();
    await without.peripheral.next(asked);
    await without.peripheral.status('leLongTermKeyRequestNegativeReply', { handle: without.handle });
    expect((await without.central.disconnected()).reason).to.equal(0x06);
    const differing = await encryptedLink();
    await differing.start(Buffer.alloc(16, 0xee));
    await differing.peripheral.next(asked);
    await differing.peripheral.status('leLongTermKeyRequestReply', {
      handle: differing.handle,
      longTermKey: key,
    });
    expect((await differing.peripheral.disconnected()).reason).to.equal(0x3d);
  });

  it('carries data as any other', async () => {
    const { central, peripheral, centralHandle } = await encryptedLink();
    central.acl(centralHandle, 0, bytes('01 00 04 00 0B'));
    await otherTurns();
    expect(peripheral.takeAcl().map(({ data }) => text(data))).to.deep.equal(['01 00 04 00 0b']);
  });
});

describe('Starting encryption', () => {
  const start = (host: AirHost, handle: number): Promise<number> =>
    host.status('leEnableEncryption', {
      handle,
      random: Buffer.alloc(8),
      encryptedDiversifier: 0,
      longTermKey: key,
    });

  it('fails with 0x06 if the peripheral’s host has masked requests for keys', async () => {
    const { central, peripheral, centralHandle } = await linked();
    await peripheral.status('leSetEventMask', { mask: bytes('0F 00 00 00 00 00 00 00') });
    await start(central, centralHandle);
    expect(text(await central.next(encrypted))).to.equal('04 08 04 06 40 00 00');
  });

  it('twice concurrently is 0x0C', async () => {
    const { central, peripheral, centralHandle } = await linked();
    await start(central, centralHandle);
    await peripheral.next(asked);
    expect(await start(central, centralHandle)).to.equal(0x0c);
  });

  it('loses the link with 0x22 if the peripheral’s host never responds', async () => {
    const { time, central, peripheral, centralHandle } = await linked();
    await start(central, centralHandle);
    await peripheral.next(asked);
    time.advance(40_000);
    expect((await central.disconnected()).reason).to.equal(0x22);
  });
});

describe('Cryptography', () => {
  it('is AES-128: the specification’s own sample (Core 5.4 Vol 6 Part C 1.1)', async () => {
    const { central } = await pair();
    // The sample stands most significant octet first, HCI takes the least significant one first.
    const key = bytes('4C68384139F574D836BCF34E9DFB01BF').reverse();
    const plaintext = bytes('0213243546576879ACBDCEDFE0F10213').reverse();
    const answer = await central.returned('leEncrypt', { key, plaintext });
    expect(text(Buffer.from(answer?.encrypted ?? []).reverse())).to.equal(
      text(bytes('99AD1B5226A37E3E058E3B8E27C2C666')),
    );
  });

  it('has random numbers, different ones each time', async () => {
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
