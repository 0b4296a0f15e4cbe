import { expect } from 'chai';
import { describe, it } from 'mocha';
import { ALARM_PACKETS, ALARM_SLOTS, ALARMS_IN_PACKET, Days } from '../../../src/protocols/cgd1/index.js';

describe('clock protocol: alarms', () => {
  it('counts days from Monday', () => {
    expect([Days.monday, Days.tuesday, Days.wednesday, Days.thursday]).to.deep.equal([1, 2, 4, 8]);
    expect([Days.friday, Days.saturday, Days.sunday]).to.deep.equal([16, 32, 64]);
    expect(Days.weekdays).to.equal(0x1f);
    expect(Days.weekend).to.equal(0x60);
    expect(Days.everyDay).to.equal(0x7f);
    expect(Days.once).to.equal(0);
  });

  it('needs six packets of three for 16 slots, two of them padding', () => {
    expect(ALARM_PACKETS * ALARMS_IN_PACKET).to.equal(ALARM_SLOTS + 2);
  });
});
