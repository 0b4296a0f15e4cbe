import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { Command, results, type CommandName } from '../../src/clock/contract.js';
import {
  BEDROOM,
  HALL,
  KITCHEN,
  LIMITS,
  startWorld,
  type ClockClient,
  type ClockWorld,
} from '../support/clock-world.js';
import { RECORD, type FakeClock } from '../support/fake-clock.js';

const address = KITCHEN;

const SETTINGS = {
  volume: 3,
  language: 'en',
  time_format: '24h',
  temperature_unit: 'C',
  alarms_enabled: true,
  timezone_offset_minutes: 720,
  screen_light_secs: 15,
  brightness: 100,
  night_brightness: 50,
  night_mode_enabled: true,
  night_start: '22:00',
  night_end: '07:00',
  ringtone: '01020304',
};

const ALARM = { slot: 3, time: '07:30', repeat_mask: 31, enabled: true, snooze: false };

describe('a command', () => {
  let world: ClockWorld;
  let client: ClockClient;
  let device: FakeClock;
  beforeEach(async () => {
    world = await startWorld();
    client = await world.client();
    device = await world.connected(KITCHEN, client);
    device.commands = [];
  });
  afterEach(() => world.close());

  const succeed = async (type: CommandName, fields: object = {}): Promise<unknown> => {
    const result = await client.succeed({ type, address, ...fields });
    const codec: t.Mixed = results[type];
    expect(E.isRight(codec.decode(result)), type).to.equal(true);
    return result;
  };

  it('sync_time sends the time in UTC and answers with what was sent', async () => {
    expect(await succeed('sync_time')).to.deep.equal({ address, time: '2026-01-02T03:04:05.000Z' });
    expect(device.commands).to.deep.equal([
      { _tag: 'SetTime', seconds: Date.UTC(2026, 0, 2, 3, 4, 5) / 1000 },
    ]);
  });

  it('set_alarm answers the alarm as it was sent', async () => {
    expect(await succeed('set_alarm', ALARM)).to.deep.equal(ALARM);
    expect(device.alarms.get(3)).to.deep.equal({
      enabled: true,
      hour: 7,
      minute: 30,
      days: 31,
      snooze: false,
    });
  });

  it('set_alarm takes the time as an object too', async () => {
    expect(await succeed('set_alarm', { ...ALARM, time: { hour: 0, minute: 5 } })).to.include({
      time: '00:05',
    });
  });

  it('read_alarms answers what is set, in slot order, and what was set is what is read', async () => {
    expect(await succeed('read_alarms')).to.deep.equal([]);
    const others = [
      { slot: 15, time: '23:59', repeat_mask: 127, enabled: false, snooze: true },
      { slot: 0, time: '00:00', repeat_mask: 0, enabled: true, snooze: true },
    ];
    for (const alarm of [...others, ALARM]) await succeed('set_alarm', alarm);
    expect(await succeed('read_alarms')).to.deep.equal([others[1], ALARM, others[0]]);
  });

  it('read_alarms is satisfied with fewer packets', async () => {
    device.alarmPackets = 5;
    await succeed('set_alarm', ALARM);
    const answer = succeed('read_alarms');
    await world.clock.pass(1_000);
    expect(await answer).to.deep.equal([ALARM]);
  });

  it('delete_alarm deletes, an empty slot too', async () => {
    await succeed('set_alarm', ALARM);
    for (const slot of [3, 9]) {
      expect(await succeed('delete_alarm', { slot })).to.deep.equal({ address, slot, deleted: true });
    }
    expect(device.alarms.size).to.equal(0);
  });

  it('read_settings answers the whole record', async () => {
    expect(await succeed('read_settings')).to.deep.equal(SETTINGS);
  });

  it('write_settings takes what read_settings gives, and changes no byte', async () => {
    expect(await succeed('write_settings', { settings: await succeed('read_settings') })).to.deep.equal(
      SETTINGS,
    );
    expect(device.record).to.deep.equal(RECORD);
  });

  it('write_settings changes only what is given, and keeps the bytes that nobody knows', async () => {
    const changes: readonly Partial<Record<keyof typeof SETTINGS, unknown>>[] = [
      { volume: 5 },
      { language: 'zh' },
      { time_format: '12h', temperature_unit: 'F' },
      { alarms_enabled: false },
      { timezone_offset_minutes: -330 },
      { screen_light_secs: 0, brightness: 150, night_brightness: 0 },
      { night_mode_enabled: false, night_start: '21:45', night_end: '06:15' },
      { ringtone: 'FDC366A5' },
    ];
    let expected: object = SETTINGS;
    for (const settings of changes) {
      expected = { ...expected, ...settings, ...('ringtone' in settings && { ringtone: 'fdc366a5' }) };
      expect(await succeed('write_settings', { settings })).to.deep.equal(expected);
      expect(await succeed('read_settings')).to.deep.equal(expected);
    }
    for (const unknown of [1, 2, 13]) expect(device.record[unknown]).to.equal(RECORD[unknown]);
  });

  it('write_settings without a setting writes the record as it is', async () => {
    expect(await succeed('write_settings', { settings: {} })).to.deep.equal(SETTINGS);
    expect(device.sent('WriteSettings')).to.deep.equal([{ _tag: 'WriteSettings', record: RECORD }]);
  });

  it('two at once do not undo each other’s settings', async () => {
    await Promise.all([
      succeed('write_settings', { settings: { volume: 1 } }),
      succeed('write_settings', { settings: { language: 'zh' } }),
    ]);
    expect(await succeed('read_settings')).to.include({ volume: 1, language: 'zh' });
  });

  it('set_brightness', async () => {
    expect(await succeed('set_brightness', { value: 70 })).to.deep.equal({ address, brightness: 70 });
    expect(device.commands).to.deep.equal([{ _tag: 'SetBrightness', brightness: 70 }]);
  });

  it('preview_ringtone, at a volume or at its own', async () => {
    expect(await succeed('preview_ringtone', { volume: 5 })).to.deep.equal({ address, previewing: true });
    await succeed('preview_ringtone');
    expect(device.commands).to.deep.equal([
      { _tag: 'PreviewRingtone', volume: 5 },
      { _tag: 'PreviewRingtone', volume: null },
    ]);
  });

  it('read_firmware', async () => {
    expect(await succeed('read_firmware')).to.deep.equal({ address, firmware: '1.0.1_0130' });
  });

  it('read_battery answers the advertised level, without asking the clock', async () => {
    expect(await succeed('read_battery')).to.deep.equal({ address, battery: 85, source: 'advertisement' });
  });

  it('read_battery asks a clock that advertises none', async () => {
    const old = world.add(BEDROOM);
    old.battery = null;
    world.radio.advertise(old);
    await client.succeed({ type: 'connect', address: BEDROOM });
    expect(await succeed('read_battery', { address: BEDROOM })).to.deep.equal({
      address: BEDROOM,
      battery: 99,
      source: 'gatt',
    });
  });

  it('that the clock refuses fails', async () => {
    device.refuses.add('SetBrightness');
    expect(await client.fail({ type: 'set_brightness', address, value: 10 })).to.equal(
      `device ${KITCHEN} refused set_brightness`,
    );
    expect(await succeed('read_firmware')).to.include({ firmware: '1.0.1_0130' });
  });

  it('that the clock answers with nonsense fails', async () => {
    device.record = Buffer.alloc(18, 0xff);
    expect(await client.fail({ type: 'read_settings', address }))
      .to.contain(KITCHEN)
      .and.to.contain('volume');
  });

  it('needs a connected clock', async () => {
    world.add(BEDROOM);
    const given: Readonly<Partial<Record<CommandName, object>>> = {
      set_alarm: ALARM,
      delete_alarm: { slot: 0 },
      write_settings: { settings: {} },
      set_brightness: { value: 0 },
      upload_ringtone: { offset: 0, data: '', last: true, format: 'wav' },
    };
    const free: readonly CommandName[] = ['scan', 'connect', 'unsubscribe_events'];
    for (const type of Object.keys(results) as CommandName[]) {
      if (free.includes(type)) continue;
      const command = { type, address: BEDROOM, ...given[type] };
      expect(E.isRight(Command.decode(command)), type).to.equal(true);
      expect(await client.fail(command), type).to.equal(`device ${BEDROOM} is not connected`);
    }
  });

  describe('waits its turn', () => {
    it('in the order of arrival', async () => {
      device.holds.add('SetBrightness');
      const answers = [
        client.succeed({ type: 'set_brightness', address, value: 10 }),
        client.succeed({ type: 'sync_time', address }),
        client.succeed({ type: 'write_settings', address, settings: { volume: 1 } }),
        client.succeed({ type: 'read_firmware', address }),
      ];
      await world.radio.until(() => device.commands.length === 1);
      await world.get('/health');
      expect(device.commands).to.have.length(1);
      device.release();
      await Promise.all(answers);
      expect(device.commands.map(({ _tag }) => _tag)).to.deep.equal([
        'SetBrightness',
        'SetTime',
        'ReadSettings',
        'WriteSettings',
        'ReadFirmware',
      ]);
    });

    it('up to a limit', async () => {
      device.silent.add('ReadFirmware');
      const answers = Array.from({ length: 65 }, () => client.fail({ type: 'read_firmware', address }));
      expect(await answers[64]).to.equal(`device ${KITCHEN} has too many commands waiting`);
      await world.clock.pass(LIMITS.answer);
      await Promise.all(answers);
    });
  });

  it('50 in one burst over three clocks, one of which is mute, are 50 answers by id', async () => {
    const clocks = [KITCHEN, BEDROOM, HALL];
    await world.connected(BEDROOM, client);
    const mute = await world.connected(HALL, client);
    mute.silent.add('ReadFirmware');
    const order: string[] = [];
    const burst = Array.from({ length: 50 }, async (_, n) => {
      const target = clocks[n % 3] ?? KITCHEN;
      const response = await client.send({ type: 'read_firmware', address: target });
      order.push(target);
      return { target, response };
    });
    await Promise.all(burst.filter((_, n) => n % 3 !== 2));
    expect(order).to.not.include(HALL);
    await world.clock.pass(LIMITS.answer);
    const answers = await Promise.all(burst);
    expect(new Set(answers.map(({ response }) => response.id)).size).to.equal(50);
    const late = answers.filter(({ target }) => target === HALL).map(({ response }) => response.error);
    expect(late[0]).to.equal(`device ${HALL} did not answer read_firmware within 10.002 s`);
    expect(new Set(late.slice(1))).to.deep.equal(
      new Set([`device ${HALL}: the answer to read_firmware took longer than 10.002 s`]),
    );
    for (const { target, response } of answers) {
      if (target === HALL) continue;
      expect(response.result).to.deep.equal({ address: target, firmware: '1.0.1_0130' });
    }
    expect(mute.sent('ReadFirmware')).to.have.length(1);
    mute.silent.clear();
    world.radio.advertise(mute);
    await world.radio.until(() => mute.link !== undefined);
  });
});

describe('scan', () => {
  let world: ClockWorld;
  let client: ClockClient;
  beforeEach(async () => {
    world = await startWorld();
    client = await world.client();
  });
  afterEach(() => world.close());

  it('lists the clocks heard, one element each, strongest signal first', async () => {
    const { radio } = world;
    const near = world.add(KITCHEN, false);
    const far = world.add(BEDROOM, false);
    const old = world.add(HALL, false);
    far.rssi = -80;
    old.rssi = -70;
    old.battery = null;
    const answer = client.succeed({ type: 'scan', duration_secs: 1 });
    await radio.heeded;
    radio.advertise(far, { serviceData: [] });
    radio.advertise(near, { name: null });
    radio.advertise(near, { serviceData: [] });
    radio.advertise(old);
    radio.advertise(near, { address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04', serviceData: [] });
    radio.advertise(near, { address: 'D1:CE:00:00:00:02', name: null, serviceData: [] });
    await world.clock.pass(1_000);
    const reading = { temperature: 21.5, humidity: 43.2 };
    const name = 'Qingping Alarm Clock';
    const result = await answer;
    expect(result).to.deep.equal([
      { address: KITCHEN, name, rssi: -60, advertisement: { ...reading, battery: 85 } },
      { address: HALL, name, rssi: -70, advertisement: { ...reading, battery: null } },
      { address: BEDROOM, name, rssi: -80, advertisement: null },
    ]);
    expect(E.isRight(results.scan.decode(result))).to.equal(true);
  });

  it('listens as long as it says, however much is heard', async () => {
    const answer = client.succeed({ type: 'scan', duration_secs: 29 });
    const device = world.add(KITCHEN, false);
    await world.clock.armed(29_000);
    for (let secs = 0; secs < 29; secs++) {
      world.radio.advertise(device);
      world.clock.advance(1_000);
    }
    expect(await answer).to.have.length(1);
  });

  it('does not hold up other commands of the same connection', async () => {
    const answer = client.succeed({ type: 'scan', duration_secs: 29 });
    const device = await world.connected(KITCHEN, client);
    await client.succeed({ type: 'read_firmware', address: KITCHEN });
    expect(device.sent('ReadFirmware')).to.have.length(1);
    world.clock.advance(29_000);
    await answer;
  });

  it('ends when its client goes away, and when the server ends', async () => {
    const other = await world.client();
    void other.send({ type: 'scan', duration_secs: 600 });
    await world.radio.heeded;
    other.listener.socket.terminate();
    await world.radio.until(() => world.radio.listeners.size === 0);
    const answer = client.fail({ type: 'scan', duration_secs: 600 });
    await world.radio.heeded;
    await world.server.close();
    expect(await answer).to.equal('the server is shutting down');
  });

  it('fails when the adapter goes off', async () => {
    const answer = client.fail({ type: 'scan', duration_secs: 600 });
    await world.radio.heeded;
    world.radio.power('poweredOff');
    expect(await answer).to.equal('the Bluetooth adapter is poweredOff, it must be poweredOn');
  });
});
