import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import type * as t from 'io-ts';
import { commands, type CommandName } from '../../src/clock/contract.js';
import { BEDROOM, type ClockFixture, eachKitchen, KITCHEN, LIMITS } from '../support/clock-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;

/** Milliseconds from the start of the fixture's time to the next second. */
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

  it('sync_time sends the time in UTC as a second begins, and answers with the same time', async () => {
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

  it('fails when a client disconnects the clock', async () => {
    device.behave({ silent_commands: ['ReadFirmware'] });
    const firmware = client.fail({ type: 'read_firmware', address });
    await fixture.radio.until(() => device.sent('ReadFirmware').length === 1);
    await client.succeed({ type: 'disconnect', address });
    expect(await firmware).to.equal(`device ${KITCHEN} is not connected`);
  });

  it('read_alarms succeeds with fewer packets', async () => {
    device.behave({ alarm_packets: 5 });
    await succeed('set_alarm', ALARM);
    const answer = succeed('read_alarms');
    await fixture.time.pass(1_000);
    expect(await answer).to.deep.equal([ALARM]);
  });

  it('fails if the answer of the clock is invalid', async () => {
    const bedroom = fixture.add(BEDROOM, false);
    bedroom.advertisesBattery = false;
    bedroom.gattBattery = 200;
    fixture.radio.advertise(bedroom);
    await client.succeed({ type: 'connect', address: BEDROOM });
    expect(await client.fail({ type: 'read_battery', address: BEDROOM })).to.equal(
      `device ${BEDROOM}: a battery level must be one byte, 0 to 100, got C8`,
    );
  });

  describe('in the queue', () => {
    it('keeps the order of arrival', async () => {
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

    it('is refused beyond a limit', async () => {
      device.behave({ silent_commands: ['ReadFirmware'] });
      const answers = Array.from({ length: 65 }, () => client.fail({ type: 'read_firmware', address }));
      expect(await answers[64]).to.equal(`device ${KITCHEN} has too many commands waiting`);
      await fixture.time.pass(LIMITS.answer);
      await Promise.all(answers);
    });

    it('leaves its place even if a defect of the server ends it', async () => {
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
});
