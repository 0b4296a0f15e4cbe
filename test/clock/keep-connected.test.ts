import { expect } from 'chai';
import { describe, it } from 'mocha';
import { KITCHEN, startFixture, startKitchen } from '../support/clock-fixture.js';
import { keeper } from '../support/keep.js';

const IDLE = 5_004;
const address = KITCHEN;

describe('keep_connected of a clock', () => {
  const keep = keeper();

  it('lets an idle clock rest until the next command, and connects it when the server starts again', async () => {
    const { fixture, client, device } = await startKitchen({ limits: { idle: IDLE }, remembers: true });
    keep(fixture);
    await client.succeed({ type: 'keep_connected', address, keep_connected: true });
    await fixture.time.pass(IDLE);
    await fixture.radio.until(() => device.link === undefined);
    fixture.radio.advertise(device);
    fixture.time.advance(IDLE);
    expect((await fixture.get('/api/devices')).body).to.deep.equal([]);
    expect(device.connects).to.equal(1);
    await client.succeed({ type: 'read_firmware', address });
    expect(device.connects).to.equal(2);

    const { folder } = fixture;
    await fixture.close();
    const restarted = keep(await startFixture({ folder, remembers: true }));
    const again = restarted.add(KITCHEN, false);
    await restarted.radio.heard(again);
    await restarted.radio.until(() => again.link !== undefined);
  });

  it('connects a clock that a client has disconnected when it is set again', async () => {
    const { fixture, client, device } = await startKitchen({ remembers: true });
    keep(fixture);
    await client.succeed({ type: 'keep_connected', address, keep_connected: true });
    await client.succeed({ type: 'disconnect', address });
    fixture.radio.advertise(device);
    expect((await fixture.get('/api/devices')).body).to.deep.equal([]);
    await client.succeed({ type: 'keep_connected', address, keep_connected: true });
    fixture.radio.advertise(device);
    await fixture.radio.until(() => device.link !== undefined);
  });
});
