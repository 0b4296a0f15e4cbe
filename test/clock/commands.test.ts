import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { commands, type CommandName } from '../../src/clock/contract.js';
import {
  BEDROOM,
  type ClockClient,
  type ClockFixture,
  eachKitchen,
  HALL,
  KITCHEN,
  LIMITS,
} from '../support/clock-fixture.js';
import type { CommandTag } from '../../src/clock/cgd1/protocol/index.js';
import type { FakeClock } from '../support/fake-clock.js';

const address = KITCHEN;

/** Milliseconds, where the time of the fixture begins. */
const TO_NEXT_SECOND = 322;

const ALARM = { slot: 3, time: '07:30', repeat_mask: 31, enabled: true, snooze: false };

describe('a command', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const succeed = async (type: CommandName, fields: object = {}): Promise<unknown> => {
    const result = await client.succeed({ type, address, ...fields });
    const codec: t.Mixed = commands[type].response;
    expect(E.isRight(codec.decode(result)), type).to.equal(true);
    return result;
  };

  it('sync_time sends the time in UTC as a second begins, and answers with it', async () => {
    const answer = succeed('sync_time');
    await fixture.time.armed(TO_NEXT_SECOND);
    expect(device.commands).to.deep.equal([]);
    fixture.time.advance(TO_NEXT_SECOND);
    expect(await answer).to.deep.equal({ address, time: '2026-01-02T03:04:06.000Z' });
    expect(await succeed('sync_time')).to.deep.equal({ address, time: '2026-01-02T03:04:06.000Z' });
    const sent = { _tag: 'SetTime', seconds: Date.UTC(2026, 0, 2, 3, 4, 6) / 1000 };
    expect(device.commands).to.deep.equal([sent, sent]);
  });

  it('sync_time fails with the reason when the link is lost before the second begins', async () => {
    const answer = client.fail({ type: 'sync_time', address });
    await fixture.time.armed(TO_NEXT_SECOND);
    device.lose();
    expect(await answer).to.equal(`the link to device ${KITCHEN} was lost, reason 0x08`);
  });

  it('set_alarm answers the alarm as it was sent', async () => {
    expect(await succeed('set_alarm', ALARM)).to.deep.equal(ALARM);
    expect(device.state.alarms[3]).to.deep.equal({
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
    device.behave({ alarmPackets: 5 });
    await succeed('set_alarm', ALARM);
    const answer = succeed('read_alarms');
    await fixture.time.pass(1_000);
    expect(await answer).to.deep.equal([ALARM]);
  });

  it('delete_alarm deletes, an empty slot too', async () => {
    await succeed('set_alarm', ALARM);
    for (const slot of [3, 9]) {
      expect(await succeed('delete_alarm', { slot })).to.deep.equal({ address, slot, deleted: true });
    }
    expect(device.state.alarms.filter((alarm) => alarm !== null)).to.deep.equal([]);
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

  it('fails if the clock refuses it', async () => {
    device.behave({ refusedCommands: ['SetBrightness'] });
    expect(await client.fail({ type: 'set_brightness', address, value: 10 })).to.equal(
      `device ${KITCHEN} refused set_brightness`,
    );
    expect(await succeed('read_firmware')).to.include({ firmware: '1.0.1_0130' });
  });

  const reads: readonly (readonly [CommandTag, CommandName, object?])[] = [
    ['ReadFirmware', 'read_firmware'],
    ['ReadSettings', 'read_settings'],
    ['ReadSettings', 'write_settings', { settings: { volume: 1 } }],
    ['ReadAlarms', 'read_alarms'],
  ];
  for (const [tag, type, fields] of reads) {
    it(`${type} fails at once when the clock refuses the read, and the link stays`, async () => {
      const { link } = device;
      device.behave({ refusedCommands: [tag] });
      expect(await client.fail({ type, address, ...fields })).to.equal(`device ${KITCHEN} refused ${type}`);
      device.behave({ refusedCommands: [] });
      await succeed(type, fields);
      expect(device.link).to.equal(link).and.to.not.equal(undefined);
    });
  }

  it('fails if the clock answers with nonsense', async () => {
    const bedroom = fixture.add(BEDROOM, false);
    bedroom.advertisesBattery = false;
    bedroom.gattBattery = 200;
    fixture.radio.advertise(bedroom);
    await client.succeed({ type: 'connect', address: BEDROOM });
    expect(await client.fail({ type: 'read_battery', address: BEDROOM })).to.equal(
      `device ${BEDROOM}: a battery level must be one byte, 0 to 100, got C8`,
    );
  });

  it('needs a connected clock', async () => {
    fixture.add(BEDROOM);
    const given: Readonly<Partial<Record<CommandName, object>>> = {
      set_alarm: ALARM,
      delete_alarm: { slot: 0 },
      write_settings: { settings: {} },
      set_brightness: { value: 0 },
      upload_ringtone: { offset: 0, data: '', last: true, format: 'wav' },
    };
    const free: readonly CommandName[] = ['scan', 'connect', 'unsubscribe_events'];
    for (const type of Object.keys(commands) as CommandName[]) {
      if (free.includes(type)) continue;
      const command = { type, address: BEDROOM, ...given[type] };
      expect(E.isRight(commands[type].parameters.decode(command)), type).to.equal(true);
      expect(await client.fail(command), type).to.equal(`device ${BEDROOM} is not connected`);
    }
  });

  describe('waits in the queue', () => {
    it('in the order of arrival', async () => {
      device.holds.add('SetBrightness');
      const answers = [
        client.succeed({ type: 'set_brightness', address, value: 10 }),
        client.succeed({ type: 'sync_time', address }),
        client.succeed({ type: 'write_settings', address, settings: { volume: 1 } }),
        client.succeed({ type: 'read_firmware', address }),
      ];
      await fixture.radio.until(() => device.commands.length === 1);
      await fixture.get('/health');
      expect(device.commands).to.have.length(1);
      device.release();
      await fixture.time.pass(TO_NEXT_SECOND);
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
      device.behave({ silentCommands: ['ReadFirmware'] });
      const answers = Array.from({ length: 65 }, () => client.fail({ type: 'read_firmware', address }));
      expect(await answers[64]).to.equal(`device ${KITCHEN} has too many commands waiting`);
      await fixture.time.pass(LIMITS.answer);
      await Promise.all(answers);
    });

    it('and leave their place even if a defect of the server ends them', async () => {
      const { link } = device;
      if (link === undefined) throw new Error('there is no link');
      const write = link.write.bind(link);
      link.write = () => {
        throw new Error('a defect');
      };
      for (let n = 0; n < 64; n++) {
        expect(await client.fail({ type: 'read_firmware', address })).to.equal(
          'the server failed on this request',
        );
      }
      link.write = write;
      await client.succeed({ type: 'read_firmware', address });
    });
  });

  it('50 in one burst over three clocks, one of which is mute, are 50 answers by id', async () => {
    const clocks = [KITCHEN, BEDROOM, HALL];
    await fixture.connected(BEDROOM, client);
    const mute = await fixture.connected(HALL, client);
    mute.behave({ silentCommands: ['ReadFirmware'] });
    const order: string[] = [];
    const burst = Array.from({ length: 50 }, async (_, n) => {
      const target = clocks[n % 3] ?? KITCHEN;
      const response = await client.send({ type: 'read_firmware', address: target });
      order.push(target);
      return { target, response };
    });
    await Promise.all(burst.filter((_, n) => n % 3 !== 2));
    expect(order).to.not.include(HALL);
    await fixture.time.pass(LIMITS.answer);
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
    mute.behave({ silentCommands: [] });
    fixture.radio.advertise(mute);
    await fixture.radio.until(() => mute.link !== undefined);
  });
});
