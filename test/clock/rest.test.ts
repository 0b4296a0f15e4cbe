import { expect } from 'chai';
import { codeOf } from '../support/dice-fixture.js';
import { BEDROOM, type ClockFixture, eachKitchen, KITCHEN, LIMITS } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

describe('the REST interface', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const get = (part: string): ReturnType<ClockFixture['get']> =>
    fixture.get(`/api/devices/${KITCHEN}/${part}`);

  it('GET sensors returns the advertised reading until there is a reading of the link', async () => {
    expect(await get('sensors')).to.deep.include({
      status: 200,
      body: { temperature: 21.5, humidity: 43.2 },
    });
    device.measure({ temperature: -3.25, humidity: 81.5 });
    expect((await get('sensors')).body).to.deep.equal({ temperature: -3.25, humidity: 81.5 });
    fixture.time.advance(20_000);
    expect((await get('sensors')).body).to.deep.equal({ temperature: -3.25, humidity: 81.5 });
  });

  it('GET sensors does not return an advertised reading that is older than an earlier link', async () => {
    device.measure({ temperature: 20, humidity: 50 });
    device.lose();
    fixture.radio.advertise(device, { serviceData: [] });
    await fixture.radio.until(() => device.link !== undefined);
    await client.succeed({ type: 'connect', address: KITCHEN });
    const answer = get('sensors');
    await fixture.time.armed(LIMITS.reading);
    device.measure({ temperature: 19, humidity: 51 });
    expect((await answer).body).to.deep.equal({ temperature: 19, humidity: 51 });
    device.lose();
    fixture.radio.advertise(device);
    await fixture.radio.until(() => device.link !== undefined);
    await client.succeed({ type: 'connect', address: KITCHEN });
    // Clocks advertise readings in tenths.
    expect((await get('sensors')).body).to.deep.equal({ temperature: 19, humidity: 51 });
  });

  describe('of a clock without readings so far', () => {
    let bedroom: FakeClock;
    const sensors = (): ReturnType<ClockFixture['get']> => fixture.get(`/api/devices/${BEDROOM}/sensors`);

    beforeEach(async () => {
      bedroom = fixture.add(BEDROOM, false);
      bedroom.advertisesReading = false;
      fixture.radio.advertise(bedroom);
      const connected = client.succeed({ type: 'connect', address: BEDROOM });
      await fixture.time.pass(3_000);
      await connected;
    });

    it('GET sensors waits for the first reading of a link, up to a limit', async () => {
      const answer = sensors();
      await fixture.time.armed(LIMITS.reading);
      bedroom.measure({ temperature: 20, humidity: 50 });
      expect((await answer).body).to.deep.equal({ temperature: 20, humidity: 50 });
      bedroom.lose();
      fixture.radio.advertise(bedroom);
      await fixture.radio.until(() => bedroom.link !== undefined);
      await client.succeed({ type: 'connect', address: BEDROOM });
      const late = sensors();
      await fixture.time.pass(LIMITS.reading);
      expect(await late).to.deep.include({
        status: 500,
        body: { error: `device ${BEDROOM} sent no reading within 5.003 s`, code: 'no_reading' },
      });
    });

    it('GET sensors fails immediately when the link is lost', async () => {
      const answer = sensors();
      await fixture.time.armed(LIMITS.reading);
      bedroom.lose();
      expect(codeOf(await answer)).to.equal('not_connected');
    });
  });
});
