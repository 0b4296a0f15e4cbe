import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { withShortUuid } from '../../simulators/peripheral/short-uuids.js';
import { Boundary } from '../../src/ble/hci/packets.js';
import { uuidText } from '../../src/ble/hci/att.js';
import { DEVICE, Fixture } from '../support/bluetooth-fixture.js';
import { bytes, isAcl, text } from '../support/hci-host.js';
import { connectionTo, hostOn } from '../support/hci-scenes.js';
import { rows } from '../support/rows.js';

/** A 16-bit UUID in its 128-bit form, as it stands in packets (Core 5.4 Vol 3 Part B 2.5.1): the Base UUID with it in the place of its first zeros. */
const long = (short: string): string => `FB 34 9B 5F 80 00 00 80 00 10 00 00 ${short} 00 00`;

describe('A 16-bit UUID in its 128-bit form', () => {
  it('is the same UUID, and one of 32 bits or of another base is not', () => {
    expect(uuidText(bytes(long('0D 18')))).to.equal('180d');
    expect(uuidText(bytes('0D 18'))).to.equal('180d');
    expect(uuidText(bytes('FB 34 9B 5F 80 00 00 80 00 10 00 00 0D 18 01 00'))).to.equal(
      '0001180d00001000800000805f9b34fb',
    );
    expect(uuidText(bytes('9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 01 00 40 6E'))).to.equal(
      '6e400001b5a3f393e0a9e50e24dcca9e',
    );
  });

  for (const [request, short] of rows(
    2,
    `
    10 01 00 FF FF ${long('00 28')} | 10 01 00 ff ff 00 28
    08 01 00 FF FF ${long('03 28')} | 08 01 00 ff ff 03 28
    06 01 00 FF FF 00 28 ${long('00 18')} | 06 01 00 ff ff 00 28 00 18
    06 01 00 FF FF 00 28 00 18 | 06 01 00 ff ff 00 28 00 18
    08 01 00 FF FF 9E CA DC 24 0E E5 A9 E0 93 F3 A3 B5 01 00 40 6E | 08 01 00 ff ff 9e ca dc 24 0e e5 a9 e0 93 f3 a3 b5 01 00 40 6e
    12 03 00 00 00 ${long('00 28')} | 12 03 00 00 00 ${long('00 28').toLowerCase()}
    08 01 | 08 01
    `,
  )) {
    it(`makes ${request.slice(0, 40)} the request ${short.slice(0, 40)} for bleno`, () => {
      expect(text(withShortUuid(bytes(request)))).to.equal(short);
    });
  }
});

describe('A peripheral on bleno', () => {
  let fixture: Fixture;
  let ask: (pdu: string) => Promise<string>;

  beforeEach(async () => {
    fixture = await Fixture.open();
    await fixture.device();
    const host = await hostOn(fixture.air, { address: '02:A1:B0:00:00:0A' });
    await host.status('leCreateConnection', connectionTo(DEVICE));
    const { handle } = await host.connected();
    ask = async (pdu) => {
      const packet = bytes(pdu);
      host.acl(
        handle,
        Boundary.firstFromHost,
        Buffer.concat([Buffer.from([packet.length, 0, 4, 0]), packet]),
      );
      return text((await host.next(isAcl)).subarray(9));
    };
  });
  afterEach(() => fixture.close());

  for (const [what, search, uuid] of [
    ['services', '10 01 00 FF FF', '00 28'],
    ['characteristics', '08 01 00 05 00', '03 28'],
    ['a value by its type', '08 01 00 FF FF', '00 2A'],
    ['a service by its UUID', '06 01 00 FF FF 00 28', '01 18'],
  ] as const) {
    it(`finds ${what} by either form of the UUID`, async () => {
      const answer = await ask(`${search} ${long(uuid)}`);
      expect(answer).to.equal(await ask(`${search} ${uuid}`));
      expect(bytes(answer)[0]).to.equal((bytes(search)[0] ?? 0) + 1);
    });
  }

  it('has the appearance 0x0000, unknown', async () => {
    expect(await ask('08 01 00 FF FF 01 2A')).to.equal('09 04 05 00 00 00');
  });
});
