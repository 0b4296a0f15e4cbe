import { expect } from 'chai';
import { KITCHEN, startFixture, type ClockClient, type ClockFixture } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';

const ADDRESS = 'six pairs of hex digits with colons, such as D1:CE:00:00:00:01';
const TIME = 'a time from "00:00" to "23:59"';

const alarm = { slot: 1, time: '07:30', repeat_mask: 0, enabled: true, snooze: false };

describe('bad input', () => {
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

  const unreadable: readonly (readonly [string, string])[] = [
    ['{"id": 1,', 'the request is not valid JSON'],
    ['', 'the request is not valid JSON'],
    ['[]', 'the request must be a JSON object, got []'],
    ['null', 'the request must be a JSON object, got null'],
    [
      '{"command": {"type": "scan", "duration_secs": 1}}',
      'id is missing: it must be a whole number within ±9007199254740991',
    ],
    ['{"id": "1", "command": {}}', 'id must be a whole number within ±9007199254740991, got "1"'],
    ['{"id": 1.5, "command": {}}', 'id must be a whole number within ±9007199254740991, got 1.5'],
    ['{"id": null, "command": {}}', 'id must be a whole number within ±9007199254740991, got null'],
    ['{"id": 9007199254740993, "command": {}}', 'got 9007199254740993'],
    ['{"id": -1E400, "command": {}}', 'got -1E400'],
    [`{"id": 1${'0'.repeat(5_000)}, "command": {}}`, `got 1${'0'.repeat(59)}…`],
  ];
  for (const [text, error] of unreadable) {
    it(`${text || 'nothing'} is answered with the id 0`, async () => {
      const response = await client.say(text, 0);
      expect(Object.keys(response)).to.deep.equal(['id', 'result', 'error']);
      expect(response.result).to.equal(null);
      expect(response.error).to.contain(error);
    });
  }

  const commands: readonly (readonly [unknown, string])[] = [
    [undefined, 'command is missing: it must be a JSON object'],
    [null, 'command must be a JSON object, got null'],
    ['scan', 'command must be a JSON object, got "scan"'],
    [{}, 'command.type is missing: it must be one of scan, connect,'],
    [{ type: 'dance' }, 'command.type must be one of scan, connect,'],
    [{ type: 'readAlarms', address: KITCHEN }, 'command.type must be one of'],
    [{ type: 'toString' }, 'command.type must be one of'],
    [{ type: 'scan' }, 'command.duration_secs is missing: it must be a number from 1 to 600'],
    ...[0, 601, '5', null, -1].map((given): readonly [unknown, string] => [
      { type: 'scan', duration_secs: given },
      `command.duration_secs must be a number from 1 to 600, got ${JSON.stringify(given)}`,
    ]),
    [{ type: 'connect' }, `command.address is missing: it must be ${ADDRESS}`],
    ...['58:2D:34', '58-2D-34-00-00-01', 5, null].map((given): readonly [unknown, string] => [
      { type: 'connect', address: given },
      `command.address must be ${ADDRESS}, got ${JSON.stringify(given)}`,
    ]),
    ...[-1, 16, 1.5, '3', null].map((given): readonly [unknown, string] => [
      { type: 'delete_alarm', address: KITCHEN, slot: given },
      `command.slot must be a whole number from 0 to 15, got ${JSON.stringify(given)}`,
    ]),
    ...[155, 5, 160, -10, '10'].map((given): readonly [unknown, string] => [
      { type: 'set_brightness', address: KITCHEN, value: given },
      `command.value must be 0 to 150 in steps of 10, got ${JSON.stringify(given)}`,
    ]),
    ...[0, 6, '3'].map((given): readonly [unknown, string] => [
      { type: 'preview_ringtone', address: KITCHEN, volume: given },
      `command.volume must be a whole number from 1 to 5, got ${JSON.stringify(given)}`,
    ]),
    ...['24:00', '7:30', '07:60', 730, ''].map((given): readonly [unknown, string] => [
      { type: 'set_alarm', address: KITCHEN, ...alarm, time: given },
      `command.time must be ${TIME}, got ${JSON.stringify(given)}`,
    ]),
    [
      { type: 'set_alarm', address: KITCHEN, ...alarm, time: { hour: 24, minute: 0 } },
      'command.time.hour must be a whole number from 0 to 23, got 24',
    ],
    [
      { type: 'set_alarm', address: KITCHEN, ...alarm, repeat_mask: 128 },
      'command.repeat_mask must be a whole number from 0 to 127, got 128',
    ],
    [
      { type: 'set_alarm', address: KITCHEN, ...alarm, enabled: 'true' },
      'command.enabled must be true or false, got "true"',
    ],
    [
      { type: 'set_alarm', address: KITCHEN, slot: 1, time: '07:30', repeat_mask: 0, enabled: true },
      'command.snooze is missing: it must be true or false',
    ],
    [{ type: 'write_settings', address: KITCHEN }, 'command.settings is missing'],
    ...(
      [
        ['timezone_offset_minutes', 7, '-720 to 840 in steps of 6'],
        ['timezone_offset_minutes', 1536, '-720 to 840 in steps of 6'],
        ['volume', 256, 'a whole number from 1 to 5'],
        ['volume', 1.5, 'a whole number from 1 to 5'],
        ['language', 'de', 'zh or en'],
        ['time_format', 24, '24h or 12h'],
        ['temperature_unit', 'K', 'C or F'],
        ['alarms_enabled', 1, 'true or false'],
        ['screen_light_secs', 256, 'a whole number from 0 to 30'],
        ['night_brightness', 155, '0 to 150 in steps of 10'],
        ['night_start', '256:00', TIME],
        ['night_start', '7:00', TIME],
        ['ringtone', 'x', '8 hex digits'],
      ] as const
    ).map(([field, given, allowed]): readonly [unknown, string] => [
      { type: 'write_settings', address: KITCHEN, settings: { [field]: given } },
      `command.settings.${field} must be ${allowed}, got ${JSON.stringify(given)}`,
    ]),
    [
      { type: 'upload_ringtone', address: KITCHEN, offset: 0, data: 'A', last: true },
      'command.data must be base64 of at most 32768 bytes, got "A"',
    ],
    [
      { type: 'upload_ringtone', address: KITCHEN, offset: 0, data: 'A'.repeat(43_696), last: true },
      'command.data must be base64 of at most 32768 bytes',
    ],
  ];
  for (const [command, error] of commands) {
    it(`${JSON.stringify({ command }).slice(0, 90)} is answered with its id`, async () => {
      const response = await client.send(command);
      expect(response.result).to.equal(null);
      expect(response.error).to.contain(error);
    });
  }

  it('is sent with a code to those who subscribed to all fields', async () => {
    const full = await fixture.client('?detail=full');
    expect(await full.send({ type: 'connect' })).to.include({ code: 'invalid_input' });
    expect(await full.say('{', 0)).to.include({ code: 'invalid_json' });
    expect(await full.send({ type: 'disconnect', address: '58:2D:34:FF:FF:FF' })).to.include({
      code: 'not_connected',
    });
    full.listener.socket.terminate();
    await full.listener.closed;
  });

  it('lets newer clients send what is not known yet', async () => {
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
    expect(await client.say('{', 0)).to.include({ code: 'invalid_json' });
    const refused = {
      code: 'too_many_requests',
      error: 'too many requests: at most 3 a minute are answered',
    };
    expect(await client.send({ type: 'unknown' })).to.include(refused);
    expect(await client.say('{', 0)).to.include(refused);
    await fixture.close();
  });
});
