import { once } from 'node:events';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { request } from '../support/client.js';
import { eachDie, RED, type DiceFixture } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { figuresOf } from '../support/figures.js';

describe('The metrics of the dice server', () => {
  let fixture: DiceFixture;
  let die: FakeDie;
  let id: string;
  eachDie((connected) => ({ fixture, die, id } = connected));

  const figures = () => figuresOf(fixture.server.port);

  it('count requests by path, method and status, and errors by code', async () => {
    for (const led1 of ['FF0000', '00FF00', '0000FF']) {
      await fixture.post('/api/led', { session_id: id, led1 });
    }
    await fixture.post('/api/led', { session_id: id, led1: 'red' });
    await fixture.get('/api/status/nobody');
    await fixture.get('/made/up/by/a/client');
    await request(fixture.server.port, '/health', { method: 'DELETE' });
    expect(await figures()).to.include({
      'airbench_http_requests_total{operation="/api/connect",method="POST",status="200"}': 1,
      'airbench_http_requests_total{operation="/api/led",method="POST",status="200"}': 3,
      'airbench_http_requests_total{operation="/api/led",method="POST",status="400"}': 1,
      'airbench_http_requests_total{operation="/api/status/:session_id",method="GET",status="404"}': 1,
      'airbench_http_requests_total{operation="other",method="GET",status="404"}': 1,
      'airbench_http_requests_total{operation="/health",method="DELETE",status="405"}': 1,
      'airbench_http_request_duration_seconds_count{operation="/api/led",method="POST"}': 4,
      'airbench_http_errors_total{operation="/api/led",code="invalid_input"}': 1,
      'airbench_http_errors_total{operation="/api/status/:session_id",code="session_not_found"}': 1,
      'airbench_http_errors_total{operation="other",code="unknown_route"}': 1,
      'airbench_http_errors_total{operation="/health",code="method_not_allowed"}': 1,
    });
  });

  it('measure the duration of answers by the clock of the server', async () => {
    die.holds.add('Leds');
    const waiting = fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    await fixture.radio.until(() => die.sent('Leds').length === 1);
    expect(await figures()).to.include({
      'airbench_radio_operations_pending{operation="write"}': 1,
      'airbench_radio_operation_duration_seconds_sum{operation="write"}': 0,
    });
    fixture.time.advance(2_000);
    die.release();
    await waiting;
    expect(await figures()).to.include({
      'airbench_http_request_duration_seconds_sum{operation="/api/led",method="POST"}': 2,
      'airbench_http_request_duration_seconds_bucket{le="1",operation="/api/led",method="POST"}': 0,
      'airbench_http_request_duration_seconds_bucket{le="2.5",operation="/api/led",method="POST"}': 1,
      'airbench_radio_operations_pending{operation="write"}': 0,
      'airbench_radio_operation_duration_seconds_sum{operation="write"}': 2,
    });
  });

  it('count links, sessions and reconnects, and failures of operations by radio', async () => {
    const listener = await fixture.listen();
    expect(await figures()).to.include({
      'airbench_radio_operations_total{operation="subscribe",result="ok"}': 1,
      airbench_radio_links: 1,
      airbench_reconnects_total: 0,
      'airbench_sessions{state="connected"}': 1,
      'airbench_sessions{state="lost"}': 0,
    });
    die.lose();
    await listener.next();
    await fixture.radio.heeded;
    expect(await figures()).to.include({
      'airbench_radio_links_ended_total{cause="link_lost"}': 1,
      airbench_radio_links: 0,
      'airbench_sessions{state="connected"}': 0,
      'airbench_sessions{state="lost"}': 1,
    });
    fixture.radio.advertise(die);
    await listener.next();
    expect(await figures()).to.include({
      'airbench_events_total{kind="Disconnected"}': 1,
      'airbench_events_total{kind="Reconnected"}': 1,
      airbench_reconnects_total: 1,
      'airbench_sessions{state="connected"}': 1,
    });
    die.refuses.set('Leds', die.refusal('write'));
    await fixture.post('/api/led', { session_id: id, led1: 'FF0000' });
    await fixture.post('/api/disconnect', { session_id: id });
    expect(await figures()).to.include({
      'airbench_radio_operations_total{operation="write",result="gatt_failed"}': 1,
      'airbench_http_errors_total{operation="/api/led",code="gatt_failed"}': 1,
      'airbench_radio_links_ended_total{cause="closed"}': 1,
      'airbench_radio_operations_total{operation="disconnect",result="ok"}': 1,
      'airbench_sessions{state="connected"}': 0,
      'airbench_sessions{state="lost"}': 0,
    });
  });

  it('count events with or without receivers, and messages to WebSockets', async () => {
    die.say({ _tag: 'Tap' });
    const listener = await fixture.listen();
    die.say({ _tag: 'Tap' }, { _tag: 'DoubleTap' });
    await listener.take(2);
    expect(await figures()).to.include({
      'airbench_events_total{kind="Tap"}': 2,
      'airbench_events_total{kind="DoubleTap"}': 1,
      'airbench_websocket_messages_sent_total{path="/ws"}': 2,
      'airbench_websockets{path="/ws"}': 1,
      'airbench_http_requests_total{operation="/ws",method="GET",status="101"}': 1,
    });
  });

  it('show the state of the adapter', async () => {
    expect(await figures()).to.include({
      'airbench_radio_adapter_state{state="poweredOn"}': 1,
      'airbench_radio_adapter_state{state="poweredOff"}': 0,
    });
    fixture.radio.power('poweredOff');
    expect(await figures()).to.include({
      'airbench_radio_adapter_state{state="poweredOn"}': 0,
      'airbench_radio_adapter_state{state="poweredOff"}': 1,
    });
  });

  it('have no label whose values clients choose', async () => {
    const rows = async (): Promise<number> => Object.keys(await figures()).length;
    await fixture.get('/nothing/0');
    await fixture.post('/api/connect', { address: RED, dice_type: 'd7' });
    await fixture.get('/api/status/0');
    await request(fixture.server.port, '/nothing', { method: 'PROPFIND' });
    await rows();
    const before = await rows();
    for (let n = 1; n < 50; n++) {
      await fixture.get(`/nothing/${n}?q=${n}`);
      await fixture.get(`/api/status/${n}`);
      await fixture.post('/api/connect', { address: `x${n}` }, { headers: { 'X-Request-Id': `id-${n}` } });
    }
    for (const method of ['LOCK', 'SEARCH', 'UNSUBSCRIBE']) {
      await request(fixture.server.port, '/nothing', { method });
    }
    // A body without its content type is a new kind of error.
    expect((await rows()) - before).to.be.within(0, 3);
  });

  it('count closed WebSockets by cause', async () => {
    const listener = await fixture.listen();
    listener.socket.close();
    await listener.closed;
    const broken = await fixture.listen();
    broken.socket.on('error', () => undefined);
    broken.socket.send('x'.repeat(70_000));
    await once(broken.socket, 'close');
    await fixture.refusedStream('?session_id=nobody');
    expect(await figures()).to.include({
      'airbench_websockets_opened_total{path="/ws"}': 2,
      'airbench_websockets_closed_total{path="/ws",cause="client"}': 1,
      'airbench_websockets_closed_total{path="/ws",cause="protocol_error"}': 1,
      'airbench_websockets{path="/ws"}': 0,
      'airbench_http_errors_total{operation="/ws",code="session_not_found"}': 1,
      'airbench_http_requests_total{operation="/ws",method="GET",status="404"}': 1,
    });
  });
});
