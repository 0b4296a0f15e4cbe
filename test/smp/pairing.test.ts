import { expect } from 'chai';
import { describe, it } from 'mocha';
import { onAir, pairLegacy, pairSecurely, pairingWith, unnamedKey } from './initiator.js';

/** Pairing Requests: IO capability, no OOB, bonding with MITM and Secure Connections, keys of 16 octets, IRK and CSRK of both. */
const NO_IO = '01030009100000';
const KEYBOARD_DISPLAY = '0104000d100000';
const LEGACY = '01030001100001';
const LEGACY_KEYBOARD = '01040005100001';

describe('Pairing with a device', () => {
  it('fails at once with Pairing Not Supported where a device does not pair', () => {
    const device = pairingWith(undefined);
    expect(device.say(NO_IO)).to.deep.equal(['0505']);
    expect(device.say(`03${'00'.repeat(16)}`)).to.deep.equal([]);
  });

  it('gives both sides the same key by Secure Connections and Just Works, and a bond that encrypts the next link', () => {
    const device = pairingWith({});
    const key = pairSecurely(device, NO_IO);
    expect(unnamedKey(device)).to.equal(onAir(key));
    device.security.encrypted();
    expect(device.outcomes).to.deep.equal(['paired and bonded 16']);
    expect(device.security).to.include({ level: 'encrypted', keySize: 16 });
    device.security.linkEnded();
    expect(device.security.level).to.equal('open');
    device.security.linkMade({ type: 'public', address: '02:A1:B0:00:00:01' });
    expect(unnamedKey(device)).to.equal(onAir(key));
    device.security.linkMade({ type: 'public', address: '02:A1:B0:00:00:02' });
    expect(unnamedKey(device)).to.equal(undefined);
  });

  it('authenticates by Secure Connections and a passkey that the device shows', () => {
    const device = pairingWith({ io: 'display' });
    let shown = -1;
    device.say(KEYBOARD_DISPLAY);
    if (device.security.prompt?.asks === 'nothing') shown = device.security.prompt.passkey;
    expect(shown).to.be.within(0, 999_999);
    const fixed = pairingWith({ io: 'display', passkey: 123_456 });
    const key = pairSecurely(fixed, KEYBOARD_DISPLAY, { passkey: 123_456 });
    expect(unnamedKey(fixed)).to.equal(onAir(key));
    fixed.security.encrypted();
    expect(fixed.security.level).to.equal('authenticated');
    expect(fixed.security.prompt).to.equal(undefined);
  });

  it('fails in the first round with a different bit of the passkey', () => {
    const device = pairingWith({ io: 'display', passkey: 1 });
    expect(() => pairSecurely(device, KEYBOARD_DISPLAY, { passkey: 2 })).to.throw('the device failed: 0504');
    expect(device.outcomes[0]).to.equal('failed 4');
  });

  it('shows the same number on both sides, and waits until a person has confirmed it', () => {
    const device = pairingWith({ io: 'yes_no' });
    const key = pairSecurely(device, KEYBOARD_DISPLAY, {
      compare: (number) => {
        expect(device.security.prompt).to.deep.equal({ asks: 'confirmation', number });
        expect(device.security.confirm(true)).to.equal(true);
      },
    });
    expect(unnamedKey(device)).to.equal(onAir(key));
    const refusing = pairingWith({ io: 'yes_no', accept: false });
    expect(() => pairSecurely(refusing, KEYBOARD_DISPLAY)).to.throw('is wrong');
    expect(refusing.outcomes[0]).to.equal('failed 12');
    expect(refusing.security.confirm(true)).to.equal(false);
  });

  it('gives the key of the link by legacy pairing and Just Works, then a long-term key by name', () => {
    const device = pairingWith({});
    const key = pairLegacy(device, 0, LEGACY);
    expect(unnamedKey(device)).to.equal(onAir(key));
    device.security.encrypted();
    const [information = '', identification = '', ...others] = device.sent().slice(-2);
    expect(information.slice(0, 2)).to.equal('06');
    expect(identification.slice(0, 2)).to.equal('07');
    expect(others).to.deep.equal([]);
    const [diversifier, random] = [identification.slice(2, 6), identification.slice(6)];
    const named = device.security.longTermKey(
      Buffer.from(random, 'hex'),
      Buffer.from(diversifier, 'hex').readUInt16LE(0),
    );
    expect(named?.toString('hex')).to.equal(information.slice(2));
    expect(device.security.longTermKey(Buffer.alloc(8, 9), 1)).to.equal(undefined);
  });

  it('authenticates by legacy pairing and a passkey, and fails if the confirm value is wrong', () => {
    const device = pairingWith({ io: 'display', passkey: 42, maxKeySize: 7 });
    const key = pairLegacy(device, 42, LEGACY_KEYBOARD);
    // Seven octets: the most significant ones are 0.
    expect(unnamedKey(device)).to.equal(`${onAir(key).slice(0, 14)}${'00'.repeat(9)}`);
    device.security.encrypted();
    expect(device.security).to.include({ level: 'authenticated', keySize: 7 });
    const wrong = pairingWith({ io: 'display', passkey: 42 });
    expect(() => pairLegacy(wrong, 42, LEGACY_KEYBOARD, true)).to.throw('the device failed: 0504');
    expect(wrong.outcomes).to.deep.equal(['failed 4']);
  });

  it('exchanges keys, by which the device recognises the host at a private address', () => {
    const device = pairingWith({ identityKey: true, signingKey: true });
    // All keys of both sides.
    pairSecurely(device, '01030009100707');
    unnamedKey(device);
    device.security.encrypted();
    expect(device.sent().map((command) => command.slice(0, 2))).to.include.members(['08', '09', '0a']);
    expect(device.outcomes).to.deep.equal([]);
    // The identity key of the Core's sample data for ah (Part H D.7).
    device.say(`08${onAir(Buffer.from('ec0234a357c8ad05341010a60a397d9b', 'hex'))}`);
    device.say('0900010000b0a102');
    device.say(`0a${'55'.repeat(16)}`);
    expect(device.outcomes).to.deep.equal(['paired and bonded 16']);
    device.security.linkMade({ type: 'random', address: '70:81:94:0D:FB:AA' });
    expect(unnamedKey(device)).to.be.a('string');
    device.security.linkMade({ type: 'random', address: '70:81:94:0D:FB:AB' });
    expect(unnamedKey(device)).to.equal(undefined);
  });

  it('refuses unacceptable requests, each with its reason', () => {
    const reasons = [
      [{ secureConnections: 'required' }, LEGACY, '0503'],
      [{ io: 'display', authenticated: true }, NO_IO, '0503'],
      [{ minKeySize: 16 }, '01030009070000', '0506'],
      [{}, '01030009060000', '050a'],
      [{}, '010300091000', '050a'],
      [{}, '0b01', '0507'],
    ] as const;
    for (const [settings, request, answer] of reasons) {
      expect(pairingWith(settings).say(request), request).to.deep.equal([answer]);
    }
    const device = pairingWith({});
    device.say(NO_IO);
    expect(device.say(`0d${'00'.repeat(16)}`), 'a check value too early').to.deep.equal(['0508']);
    const reflecting = pairingWith({});
    reflecting.say(NO_IO);
    expect(reflecting.say(`0c${'01'.repeat(64)}`), 'a point off the curve').to.deep.equal(['050a']);
  });

  it('continues after a reserved command, and fails for both sides after an unsupported one (3.3, 3.5.5)', () => {
    const device = pairingWith({});
    device.say(NO_IO);
    expect(device.say('0f'), 'reserved').to.deep.equal([]);
    expect(device.outcomes).to.deep.equal([]);
    expect(device.say('0b01'), 'a Security Request').to.deep.equal(['0507']);
    expect(device.outcomes).to.deep.equal(['failed 7']);
    device.time.advance(30_000);
    expect(device.say(NO_IO), 'another attempt on the link').to.have.length(1);
  });

  it('fails by Secure Connections if the host has out-of-band data, but not by legacy pairing, where both must have them (2.3.5.1, tables 2.6 and 2.7)', () => {
    expect(pairingWith({}).say('01030109100000')).to.deep.equal(['0502']);
    expect(pairingWith({}).say('01030101100000')[0]).to.match(/^020300/);
  });

  it('ends after 30 seconds, without another attempt on that link', () => {
    const device = pairingWith({});
    device.say(NO_IO);
    device.time.advance(30_000);
    expect(device.outcomes).to.deep.equal(['failed silently']);
    expect(device.say(NO_IO)).to.deep.equal([]);
    device.security.linkEnded();
    device.security.linkMade({ type: 'public', address: '02:A1:B0:00:00:01' });
    expect(device.say(NO_IO)[0]?.slice(0, 2)).to.equal('02');
  });
});
