import { expect } from 'chai';
import { KITCHEN, startFixture, type ClockFixture } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import { jsonOf, rows } from '../support/rows.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

describe('Bad input', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  before(async () => {
    fixture = await startFixture();
    client = await fixture.client();
    device = await fixture.connected(KITCHEN, client);
    device.commands = [];
  });
  after(() => fixture.close());
  afterEach(() => {
    expect(device.commands, 'the radio was touched').to.deep.equal([]);
    expect(fixture.radio.listeners.size).to.equal(0);
  });

  /** Messages that the features do not send. */
  const unreadable = {
    '': 'the request is not valid JSON',
    null: 'the request must be a JSON object, got null',
    '{"id": null, "command": {}}': 'id must be a whole number within ±9007199254740991, got null',
    '{"id": 9007199254740993, "command": {}}': 'got 9007199254740993',
    '{"id": -1E400, "command": {}}': 'got -1E400',
    [`{"id": 1${'0'.repeat(5_000)}, "command": {}}`]: `got 1${'0'.repeat(59)}…`,
  };
  for (const [text, error] of Object.entries(unreadable)) {
    it(`${text.slice(0, 90) || 'nothing'} is answered with the id 0`, async () => {
      const response = await client.ask(text, 0);
      expect(Object.keys(response)).to.deep.equal(['id', 'result', 'error']);
      expect(response.result).to.equal(null);
      expect(response.error).to.contain(error);
    });
  }

  const on = `"address":"${KITCHEN}"`;
  const alarm = `"type":"set_alarm",${on},"slot":1,"repeat_mask":0,"enabled":true`;
  const change = `"type":"change_alarm",${on},"slot":1`;
  const setting = `"type":"write_settings",${on},"settings"`;
  const commands = rows(
    2,
    `
    null                                                         | command must be a JSON object, got null
    "scan"                                                       | command must be a JSON object, got "scan"
    {"type":"toString"}                                          | command.type must be one of scan, connect,
    {"type":"scan"}                                              | command.duration_secs is missing: it must be a number from 1 to 600
    {${alarm},"time":"07:60","snooze":false}                     | command.time must be a time from "00:00" to "23:59", got "07:60"
    {${alarm},"time":{"hour":24,"minute":0},"snooze":false}      | command.time.hour must be a whole number from 0 to 23, got 24
    {${alarm},"time":"07:30"}                                    | command.snooze is missing: it must be true or false
    {"type":"write_settings",${on}}                              | command.settings is missing
    {${setting}:{}}                                              | ringtone are missing in command.settings: at least one of them must be given
    {${setting}:{"sound":1,"volume":null}}                       | ringtone are missing in command.settings: at least one of them must be given
    {${change},"repeat_mask":1}                                  | time, enabled, snooze and days are missing in command: at least one
    {${change},"days":{"sunday":null}}                           | saturday and sunday are missing in command.days: at least one
    {${setting}:{"timezone_offset_minutes":1536}}                | command.settings.timezone_offset_minutes must be -720 to 840 in steps of 6, got 1536
    {${setting}:{"volume":1.5}}                                  | command.settings.volume must be a whole number from 1 to 5, got 1.5
    {${setting}:{"time_format":24}}                              | command.settings.time_format must be 24h or 12h, got 24
    {${setting}:{"temperature_unit":"K"}}                        | command.settings.temperature_unit must be C or F, got "K"
    {${setting}:{"alarms_enabled":1}}                            | command.settings.alarms_enabled must be true or false, got 1
    {${setting}:{"screen_light_secs":256}}                       | command.settings.screen_light_secs must be a whole number from 0 to 30, got 256
    {${setting}:{"night_brightness":155}}                        | command.settings.night_brightness must be 0 to 150 in steps of 10, got 155
    {${setting}:{"night_start":"256:00"}}                        | command.settings.night_start must be a time from "00:00" to "23:59", got "256:00"
    {"type":"upload_ringtone",${on},"offset":0,"data":"A","last":true} | command.data must be base64 of at most 32768 bytes, got "A"
    {"type":"upload_ringtone",${on},"offset":0,"data":"${'A'.repeat(43_696)}","last":true} | command.data must be base64 of at most 32768 bytes
    `,
  );
  for (const [command, error] of commands) {
    it(`${command.slice(0, 90)} is answered with its id`, async () => {
      const response = await client.send(jsonOf(command));
      expect(response.result).to.equal(null);
      expect(response.error).to.contain(error);
    });
  }

  it('is answered with a code for clients of all fields', async () => {
    const full = await fixture.client('?detail=full');
    expect(await full.send({ type: 'connect' })).to.include({ code: 'invalid_input' });
    expect(await full.ask('{', 0)).to.include({ code: 'invalid_json' });
    expect(await full.send({ type: 'disconnect', address: '58:2D:34:FF:FF:FF' })).to.include({
      code: 'not_connected',
    });
    full.socket.terminate();
    await full.closed;
  });

  it('does not include unknown fields, as of newer clients', async () => {
    expect(await client.succeed({ type: 'unsubscribe_events', address: KITCHEN, newer: 1 })).to.deep.equal({
      address: KITCHEN,
      subscribed: false,
    });
  });
});

describe('A client that sends too many commands', () => {
  it('is answered with too_many_requests and the id of each', async () => {
    // The upgrade of each client counts too.
    const fixture = await startFixture({ protection: { requestsPerMinute: 3 } });
    const client = await fixture.client('?detail=full');
    expect(await client.send({ type: 'unknown' })).to.include({ code: 'invalid_input' });
    expect(await client.ask('{', 0)).to.include({ code: 'invalid_json' });
    const refused = {
      code: 'too_many_requests',
      error: 'too many requests: at most 3 a minute are answered',
    };
    expect(await client.send({ type: 'unknown' })).to.include(refused);
    expect(await client.ask('{', 0)).to.include(refused);
    await fixture.close();
  });
});
