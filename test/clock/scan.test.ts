import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { commands } from '../../src/clock/contract.js';
import { BEDROOM, type ClockFixture, eachFixture, HALL, KITCHEN } from '../support/clock-fixture.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

describe('scan', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  eachFixture((started) => ({ fixture, client } = started));

  it('lists each clock that advertises once, the strongest signal first, unknown signals last', async () => {
    const { radio } = fixture;
    const near = fixture.add(KITCHEN, false);
    const far = fixture.add(BEDROOM, false);
    const old = fixture.add(HALL, false);
    far.rssi = null;
    old.rssi = -127;
    old.advertisesBattery = false;
    const answer = client.succeed({ type: 'scan', duration_secs: 1 });
    await radio.heard(far, { serviceData: [] });
    radio.advertise(near, { name: null });
    radio.advertise(near, { serviceData: [] });
    radio.advertise(old);
    radio.advertise(near, { address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04', serviceData: [] });
    radio.advertise(near, { address: 'D1:CE:00:00:00:02', name: null, serviceData: [] });
    await fixture.time.pass(1_000);
    const reading = { temperature: 21.5, humidity: 43.2 };
    const name = 'Qingping Alarm Clock';
    const result = await answer;
    expect(result).to.deep.equal([
      { address: KITCHEN, name, rssi: -60, advertisement: { ...reading, battery: 85 } },
      { address: HALL, name, rssi: -127, advertisement: { ...reading, battery: null } },
      { address: BEDROOM, name, rssi: null, advertisement: null },
    ]);
    expect(E.isRight(commands.scan.response.decode(result))).to.equal(true);
  });

  it('lasts as long as requested, even if clocks advertise', async () => {
    const answer = client.succeed({ type: 'scan', duration_secs: 29 });
    const device = fixture.add(KITCHEN, false);
    await fixture.time.armed(29_000);
    for (let secs = 0; secs < 29; secs++) {
      fixture.radio.advertise(device);
      fixture.time.advance(1_000);
    }
    expect(await answer).to.have.length(1);
  });

  it('does not delay other commands of the same connection', async () => {
    const answer = client.succeed({ type: 'scan', duration_secs: 29 });
    const device = await fixture.connected(KITCHEN, client);
    await client.succeed({ type: 'read_firmware', address: KITCHEN });
    expect(device.sent('ReadFirmware')).to.have.length(1);
    fixture.time.advance(29_000);
    await answer;
  });
});
