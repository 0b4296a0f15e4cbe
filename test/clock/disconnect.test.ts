import { expect } from 'chai';
import { type ClockClient, type ClockWorld, eachWorld, KITCHEN, startWorld } from '../support/clock-world.js';
import type { FakeClock } from '../support/fake-clock.js';

describe('disconnect', () => {
  let world: ClockWorld;
  let client: ClockClient;
  eachWorld((started) => ({ world, client } = started));

  const disconnect = { type: 'disconnect', address: KITCHEN };

  it('ends the link', async () => {
    const device = await world.connected(KITCHEN, client);
    expect(await client.succeed(disconnect)).to.deep.equal({ address: KITCHEN, disconnected: true });
    expect(device.link).to.equal(undefined);
  });

  it('of a clock that is not connected fails', async () => {
    world.add(KITCHEN);
    expect(await client.fail(disconnect)).to.equal(`device ${KITCHEN} is not connected`);
  });

  it('fails what is under way', async () => {
    const device = await world.connected(KITCHEN, client);
    device.behave({ silentCommands: ['ReadFirmware'] });
    const firmware = client.fail({ type: 'read_firmware', address: KITCHEN });
    await world.radio.until(() => device.sent('ReadFirmware').length === 1);
    await client.succeed(disconnect);
    expect(await firmware).to.equal(`device ${KITCHEN} is not connected`);
  });
});

describe('disconnect during the first connect', () => {
  const connect = { type: 'connect', address: KITCHEN };
  const disconnect = { type: 'disconnect', address: KITCHEN };
  const meanwhile = `device ${KITCHEN} is not connected: a client disconnected it meanwhile`;
  let world: ClockWorld;
  let client: ClockClient;
  let other: ClockClient;
  eachWorld((started) => ({ world, client } = started));
  beforeEach(async () => {
    other = await world.client();
  });

  const stages: Readonly<Record<string, (device: FakeClock) => Promise<unknown>>> = {
    'while the clock is looked for': () => world.radio.heeded,
    'while the link is made': (device) => {
      device.holdConnect = true;
      world.radio.advertise(device);
      return world.radio.until(() => device.connects === 1);
    },
    'while its token is proven': (device) => {
      device.holds.add('ReadSettings');
      world.radio.advertise(device);
      return world.radio.until(() => device.sent('ReadSettings').length === 1);
    },
  };
  for (const [stage, reached] of Object.entries(stages)) {
    it(`ends the attempt for all who wait, ${stage}`, async () => {
      const device = world.add(KITCHEN, false);
      const first = client.fail(connect);
      await world.radio.heeded;
      const second = other.fail(connect);
      await reached(device);
      expect(await other.succeed(disconnect)).to.deep.equal({ address: KITCHEN, disconnected: true });
      expect(await Promise.all([first, second])).to.deep.equal([meanwhile, meanwhile]);
      expect(device.link).to.equal(undefined);
      expect(world.radio.listeners.size).to.equal(0);
      expect(await client.fail(disconnect)).to.equal(`device ${KITCHEN} is not connected`);
    });
  }

  it('leaves the next connect to itself', async () => {
    const device = world.add(KITCHEN);
    device.holdConnect = true;
    const first = client.fail(connect);
    await world.radio.until(() => device.connects === 1);
    const ended = other.succeed(disconnect);
    device.holdConnect = false;
    const second = other.succeed(connect);
    await ended;
    expect(await first).to.equal(meanwhile);
    expect(await second).to.include({ connected: true });
  });
});

describe('a kept clock', () => {
  it('is left alone once a client has disconnected it, though it never was connected', async () => {
    const world = await startWorld({ kept: [KITCHEN] });
    const device = world.add(KITCHEN, false);
    await world.radio.heeded;
    const client = await world.client();
    const disconnect = { type: 'disconnect', address: KITCHEN };
    expect(await client.succeed(disconnect)).to.include({ disconnected: true });
    expect(await client.fail(disconnect)).to.equal(`device ${KITCHEN} is not connected`);
    expect(world.radio.listeners.size).to.equal(0);
    world.radio.advertise(device);
    expect(device.connects).to.equal(0);
    await world.close();
  });

  it('is kept once, however often it is named', async () => {
    const world = await startWorld({ kept: [KITCHEN, KITCHEN] });
    const device = world.add(KITCHEN, false);
    await world.radio.heeded;
    expect(world.radio.listeners.size).to.equal(1);
    const client = await world.client();
    expect(await client.succeed({ type: 'disconnect', address: KITCHEN })).to.include({ disconnected: true });
    expect(world.radio.listeners.size).to.equal(0);
    world.radio.advertise(device);
    expect(device.connects).to.equal(0);
    await world.close();
  });

  it('lets the server end while it is looked for, however often it is named', async () => {
    const world = await startWorld({ kept: [KITCHEN, KITCHEN] });
    await world.radio.heeded;
    await world.close();
  });

  it('is connected as soon as it is heard, and again and again', async () => {
    const world = await startWorld({ kept: [KITCHEN] });
    const device = world.add(KITCHEN, false);
    await world.radio.heeded;
    world.radio.advertise(device);
    await world.radio.until(() => device.sent('ReadSettings').length === 1);
    const client = await world.client();
    expect(await client.succeed({ type: 'connect', address: KITCHEN })).to.include({ connected: true });
    await world.close();
  });
});
