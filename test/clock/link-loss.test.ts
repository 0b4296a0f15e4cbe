import { expect } from 'chai';
import { type ClockFixture, eachKitchen, KITCHEN, LIMITS, startKitchen } from '../support/clock-fixture.js';
import { signalled } from '../support/bluetooth-fixture.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const address = KITCHEN;
const firmware = { type: 'read_firmware', address };
const disconnected = { event: 'disconnected', data: {} };
const reconnected = { event: 'reconnected', data: {} };

describe('a link loss', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;

  beforeEach(async () => {
    ({ fixture, client, device } = await startKitchen({ limits: { reconnect: null } }));
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
  });
  afterEach(() => fixture.close());

  it('makes connect wait for the clock, but not for ever', async () => {
    device.lose();
    const answer = client.succeed({ type: 'connect', address });
    await fixture.time.armed(LIMITS.find);
    fixture.radio.advertise(device, { serviceData: [] });
    expect(await answer).to.deep.equal({ address, connected: true, paired: false });
    device.lose();
    fixture.radio.forget(device);
    const late = client.fail({ type: 'connect', address });
    await fixture.time.pass(LIMITS.find);
    expect(await late).to.equal(`device ${KITCHEN} is not connected`);
  });

  it('fails a connect with the reason if the clock was bound to another server', async () => {
    device.lose();
    device.become({ token: Buffer.alloc(16, 0xc0) });
    device.behave({ wrong_token: 'reject' });
    await fixture.time.pass(1_000);
    await fixture.time.armed(2_000);
    const late = client.fail({ type: 'connect', address });
    await fixture.time.armed(LIMITS.find);
    fixture.time.advance(LIMITS.find);
    expect(await late).to.match(/^auth_failed: .*reset/);
  });
});

describe('--idle-disconnect-secs', () => {
  const IDLE = 120_004;
  let fixture: ClockFixture;
  let client: ClockClient;
  let device: FakeClock;
  eachKitchen((kitchen) => ({ fixture, client, device } = kitchen), { limits: { idle: IDLE } });

  /** Lets time pass in steps in which the sockets' heartbeats survive. */
  const pass = async (ms: number): Promise<void> => {
    for (let waited = 0; waited < ms; waited += 10_000) {
      fixture.time.advance(10_000);
      await fixture.get('/health');
    }
  };
  const rest = async (): Promise<void> => {
    await fixture.time.armed(IDLE);
    await pass(IDLE);
    await fixture.radio.until(() => device.link === undefined);
  };

  it('disconnects an idle clock, and the next command connects it again', async () => {
    await rest();
    expect((await fixture.get('/api/devices')).body).to.deep.equal([]);
    expect(await client.succeed(firmware)).to.deep.equal({ address, firmware: '1.0.1_0130' });
    expect(device.connects).to.equal(2);
    await rest();
    expect((await fixture.get(`/api/devices/${KITCHEN}/firmware`)).status).to.equal(200);
  });

  it('is reported to subscribers, who receive its advertisements from then on', async () => {
    await client.succeed({ type: 'subscribe_events', address });
    await client.next();
    await rest();
    expect(await client.next()).to.deep.equal(disconnected);
    fixture.radio.advertise(device);
    expect(await client.next()).to.include({ event: 'advertisement' });
    const other = await fixture.client();
    await other.succeed({ type: 'subscribe_events', address });
    await client.succeed(firmware);
    expect(await client.next()).to.deep.equal(reconnected);
  });

  it('does not disconnect a clock that gets commands', async () => {
    await fixture.time.armed(IDLE);
    fixture.time.advance(20_000);
    await client.succeed(firmware);
    await pass(IDLE - 20_000);
    expect(device.link).to.not.equal(undefined);
  });

  it('does not disconnect a clock during a command', async () => {
    device.holds.add('ReadFirmware');
    const answer = client.succeed(firmware);
    await fixture.radio.until(() => device.sent('ReadFirmware').length === 1);
    await pass(2 * IDLE);
    device.release();
    expect(await answer).to.include({ address });
  });

  it('leaves a clock that disconnect still ends', async () => {
    await rest();
    expect(await client.succeed({ type: 'disconnect', address })).to.include({ disconnected: true });
    expect(await client.fail(firmware)).to.contain('is not connected');
  });

  it('does not connect a clock again that a client disconnects, even if its link takes long to end', async () => {
    await fixture.time.armed(IDLE);
    await pass(IDLE - 10_000);
    const { link } = device;
    const { promise, fulfil } = signalled();
    const end = link?.disconnect;
    Object.assign(link ?? {}, { disconnect: () => Promise.all([end?.(), promise]) });
    const answer = client.succeed({ type: 'disconnect', address });
    await fixture.radio.until(() => device.link === undefined);
    fixture.time.advance(10_000);
    fulfil();
    await answer;
    expect(await client.fail(firmware)).to.contain('is not connected');
  });

  it('fails a command with the reason if the clock cannot be connected, and tries again with the next', async () => {
    await rest();
    fixture.radio.forget(device);
    const answer = client.fail(firmware);
    await fixture.time.pass(LIMITS.find);
    expect(await answer).to.contain('was not found');
    fixture.radio.advertise(device);
    await client.succeed(firmware);
  });
});
