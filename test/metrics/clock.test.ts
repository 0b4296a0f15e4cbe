import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { FakeClock } from '../support/fake-clock.js';
import { figuresOf } from '../support/figures.js';
import { BEDROOM, eachKitchen, KITCHEN, type ClockFixture } from '../support/clock-fixture.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

describe('The metrics of the clock server', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen));

  const address = KITCHEN;
  const figures = () => figuresOf(fixture.server.port);

  it('count commands by name and result', async () => {
    for (const value of [10, 20, 30]) await client.succeed({ type: 'set_brightness', address, value });
    await client.fail({ type: 'set_brightness', address: BEDROOM, value: 10 });
    await client.fail({ type: 'set_brightness', address, value: 'bright' });
    await client.fail({ type: 'made_up' });
    await client.ask('{', 0);
    expect(await figures()).to.include({
      'airbench_commands_total{command="connect",result="ok"}': 1,
      'airbench_commands_total{command="set_brightness",result="ok"}': 3,
      'airbench_commands_total{command="set_brightness",result="not_connected"}': 1,
      'airbench_commands_total{command="set_brightness",result="invalid_input"}': 1,
      'airbench_commands_total{command="unreadable",result="invalid_input"}': 1,
      'airbench_commands_total{command="unreadable",result="invalid_json"}': 1,
      'airbench_command_duration_seconds_count{command="set_brightness"}': 4,
      'airbench_websocket_messages_received_total{path="/ws"}': 8,
      'airbench_websocket_messages_sent_total{path="/ws"}': 8,
      airbench_commands_pending: 0,
    });
  });

  it('count waiting commands, and measure their duration', async () => {
    device.holds.add('SetBrightness');
    const waiting = client.send({ type: 'set_brightness', address, value: 10 });
    const behind = client.send({ type: 'read_firmware', address });
    await fixture.radio.until(() => device.commands.length > 0);
    expect(await figures()).to.include({ airbench_commands_pending: 2 });
    fixture.time.advance(3_000);
    device.release();
    await Promise.all([waiting, behind]);
    expect(await figures()).to.include({
      airbench_commands_pending: 0,
      'airbench_command_duration_seconds_sum{command="set_brightness"}': 3,
    });
  });
});
