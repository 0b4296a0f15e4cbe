import { expect } from 'chai';
import { describe, it } from 'mocha';
import * as protocol from '../../../src/protocols/cgd1/index.js';

const { Days, formatTimeOfDay, paddedUuid, parseTimeOfDay } = protocol;

describe('clock protocol: values', () => {
  it('count days from Monday', () => {
    expect([Days.monday, Days.tuesday, Days.wednesday, Days.thursday]).to.deep.equal([1, 2, 4, 8]);
    expect([Days.friday, Days.saturday, Days.sunday]).to.deep.equal([16, 32, 64]);
    expect([Days.weekdays, Days.weekend, Days.everyDay, Days.once]).to.deep.equal([0x1f, 0x60, 0x7f, 0]);
  });

  it('have six packets of three alarms for 16 slots and two of padding', () => {
    expect(protocol.ALARM_PACKETS * protocol.ALARMS_IN_PACKET).to.equal(protocol.ALARM_SLOTS + 2);
  });

  for (const [text, hour, minute] of [
    ['00:00', 0, 0],
    ['07:30', 7, 30],
    ['23:05', 23, 5],
    ['255:61', 255, 61],
  ] as const) {
    it(`write and read the time of day ${text}`, () => {
      expect(formatTimeOfDay({ hour, minute })).to.equal(text);
      expect(parseTimeOfDay(text)).to.deep.equal({ hour, minute });
    });
  }

  /** docs/cgd1-protocol.md §2. */
  it('have the services and characteristics of the documentation', () => {
    expect(protocol.CLOCK_SERVICE).to.equal('22210000554a4546554246534450464d');
    const { AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY } = protocol;
    const characteristics = [AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY];
    expect(characteristics.map(paddedUuid)).to.deep.equal(['0001', '0002', '000b', '000c', '0100']);
    expect(READING_NOTIFY).to.equal('100');
    const battery = [protocol.BATTERY_SERVICE, protocol.BATTERY_LEVEL].map(paddedUuid);
    expect(battery).to.deep.equal(['180f', '2a19']);
    expect([protocol.READING_SERVICE_DATA, protocol.XIAOMI_SERVICE_DATA]).to.deep.equal(['fdcd', 'fe95']);
  });
});
