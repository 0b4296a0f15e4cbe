import { expect } from 'chai';
import { codeOf } from '../support/dice-fixture.js';
import { refusedUpgrade, request } from '../support/client.js';
import {
  BEDROOM,
  type ClockClient,
  type ClockFixture,
  eachKitchen,
  KITCHEN,
  LIMITS,
} from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';

describe('the REST interface', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const get = (what: string): ReturnType<ClockFixture['get']> =>
    fixture.get(`/api/devices/${KITCHEN}/${what}`);

  it('GET /health', async () => {
    expect(await fixture.get('/health')).to.deep.include({
      status: 200,
      body: {
        status: 'ok',
        adapter: 'poweredOn',
        clocks: 1,
        listeners: 1,
        seq: 1,
        instance: 'id-0',
        mqtt: 'off',
        pages: null,
      },
    });
    fixture.radio.power('poweredOff');
    expect((await fixture.get('/health')).body).to.include({ status: 'degraded', adapter: 'poweredOff' });
    expect((await fixture.get('/ready')).status).to.equal(503);
  });

  it('GET sensors is the newest reading', async () => {
    device.measure({ temperature: 20, humidity: 50 });
    device.measure({ temperature: -3.25, humidity: 81.5 });
    expect(await get('sensors')).to.deep.include({
      status: 200,
      body: { temperature: -3.25, humidity: 81.5 },
    });
  });

  it('GET sensors is what was advertised, until the link brings a reading', async () => {
    expect(await get('sensors')).to.deep.include({
      status: 200,
      body: { temperature: 21.5, humidity: 43.2 },
    });
    device.measure({ temperature: -3.25, humidity: 81.5 });
    expect((await get('sensors')).body).to.deep.equal({ temperature: -3.25, humidity: 81.5 });
    fixture.time.advance(20_000);
    expect((await get('sensors')).body).to.deep.equal({ temperature: -3.25, humidity: 81.5 });
  });

  it('GET sensors of a link without a reading yet is not what an earlier link has outdated', async () => {
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
    // In tenths, as clocks advertise it.
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

  for (const what of ['battery', 'firmware', 'alarms', 'settings']) {
    it(`GET ${what} is the result of read_${what}`, async () => {
      const { status, body } = await get(what);
      expect(status).to.equal(200);
      expect(body).to.deep.equal(await client.succeed({ type: `read_${what}`, address: KITCHEN }));
    });
  }

  it('is 404 for a clock that is not connected', async () => {
    await client.succeed({ type: 'disconnect', address: KITCHEN });
    for (const what of ['sensors', 'battery', 'firmware', 'alarms', 'settings']) {
      expect(await get(what)).to.deep.include({
        status: 404,
        body: { error: `device ${KITCHEN} is not connected`, code: 'not_connected' },
      });
    }
  });

  it('is 400 for a malformed address, and takes one in any case', async () => {
    for (const bad of ['58:2D:34', '58-2D-34-00-00-01', 'clock']) {
      const answer = await fixture.get(`/api/devices/${bad}/sensors`);
      expect([answer.status, codeOf(answer)]).to.deep.equal([400, 'invalid_input']);
    }
    expect((await fixture.get(`/api/devices/${KITCHEN.toLowerCase()}/firmware`)).status).to.equal(200);
  });

  it('is 500 for a clock that fails', async () => {
    device.behave({ silentCommands: ['ReadFirmware'] });
    const answer = get('firmware');
    await fixture.time.pass(LIMITS.answer);
    expect([(await answer).status, codeOf(await answer)]).to.deep.equal([500, 'answer_timeout']);
  });

  it('is 500 at once for a clock that refuses', async () => {
    device.behave({ refusedCommands: ['ReadFirmware'] });
    expect(await get('firmware')).to.deep.include({
      status: 500,
      body: { error: `device ${KITCHEN} refused read_firmware`, code: 'command_refused' },
    });
  });

  it('only reads', async () => {
    for (const [method, path] of [
      ['POST', '/api/devices'],
      ['PUT', `/api/devices/${KITCHEN}/settings`],
      ['DELETE', `/api/devices/${KITCHEN}/alarms`],
    ] as const) {
      const answer = await request(fixture.server.port, path, { method });
      expect([answer.status, codeOf(answer)]).to.deep.equal([405, 'method_not_allowed']);
    }
    expect(codeOf(await fixture.get('/api/clocks'))).to.equal('unknown_route');
    expect((await fixture.get('/ws')).status).to.equal(426);
    expect((await refusedUpgrade(fixture.server.port, '/ws?detail=more')).status).to.equal(400);
  });
});
