/** The clocks of a scenario, and what happens to them. */
import { Given, Then, When } from '@cucumber/cucumber';
import { expect } from 'chai';
import type { JsonObject } from '../support/clock-client.js';
import type { BenchWorld, VirtualClock } from '../support/world.js';

/** Never the same twice in a run: the server remembers tokens and readings by address. */
const freshAddress = (() => {
  let count = 0;
  const worker = Number(process.env['CUCUMBER_WORKER_ID'] ?? 0);
  const run = Date.now() >> 12;
  const hex = (value: number): string => (value & 0xff).toString(16).padStart(2, '0').toUpperCase();
  return (): string => {
    count += 1;
    return ['58', '2D', '34', hex((worker << 6) | (run & 0x3f)), hex(count >> 8), hex(count)].join(':');
  };
})();

const addClock = async (world: BenchWorld, start: JsonObject = {}): Promise<void> => {
  const { address } = (await world.act('/devices', { kind: 'clock', address: freshAddress(), ...start })) as {
    address: string;
  };
  world.clocks.push({ address });
};

const connect = async (world: BenchWorld, clock: VirtualClock): Promise<void> => {
  const { error } = await (await world.client()).command({ type: 'connect', address: clock.address });
  expect(error).to.be.null;
};

const actOn = (world: BenchWorld, action: JsonObject): Promise<unknown> =>
  world.act(`/devices/${world.clock().address}/actions`, action);

const setTemper = (world: BenchWorld, number: number, temper: JsonObject): Promise<unknown> =>
  world.act(`/devices/${world.clock(number).address}/temper`, temper, 'PUT');

Given('a clock', async function (this: BenchWorld) {
  await addClock(this);
});

Given('a connected clock', async function (this: BenchWorld) {
  await addClock(this);
  await connect(this, this.clock());
});

Given('{int} connected clocks', async function (this: BenchWorld, count: number) {
  for (let n = 1; n <= count; n++) {
    await addClock(this);
    await connect(this, this.clock(n));
  }
});

Given(
  'a clock that measures {float} °C and {float} %, its battery at {int}',
  async function (this: BenchWorld, temperature: number, humidity: number, battery: number) {
    await addClock(this, { temperature, humidity, battery });
  },
);

Given('a clock that advertises no battery', async function (this: BenchWorld) {
  await addClock(this, { advertised_battery: false });
});

Given('a clock that thinks it is {word}', async function (this: BenchWorld, time: string) {
  await addClock(this, { time });
});

Given(
  'a clock bound to another token, which answers with {word}',
  async function (this: BenchWorld, mode: string) {
    await addClock(this, { token: 'c0ffee00c0ffee00c0ffee00c0ffee00', temper: { wrong_token: mode } });
  },
);

Given('the clock ignores {string}', async function (this: BenchWorld, command: string) {
  await setTemper(this, 1, { silent_commands: [command] });
});

Given('clock {int} ignores {string}', async function (this: BenchWorld, number: number, command: string) {
  await setTemper(this, number, { silent_commands: [command] });
});

Given(
  'clock {int} takes {int} seconds to answer',
  async function (this: BenchWorld, number: number, secs: number) {
    await setTemper(this, number, { ack_delay_ms: secs * 1000 });
  },
);

When(
  'the clock measures {float} °C and {float} %',
  async function (this: BenchWorld, temperature: number, humidity: number) {
    await actOn(this, { type: 'sensors', temperature, humidity });
  },
);

When("the clock's button is held for {int} seconds", async function (this: BenchWorld, secs: number) {
  await actOn(this, { type: 'button', secs });
});

When('the link of the clock is lost', async function (this: BenchWorld) {
  await this.act('/faults', { type: 'link_loss', device: this.clock().address });
});

When('the clock goes out of range', async function (this: BenchWorld) {
  await this.act(`/air/${this.clock().address}`, { in_range: false }, 'PUT');
});

When('the clock comes back into range', async function (this: BenchWorld) {
  await this.act(`/air/${this.clock().address}`, { in_range: true }, 'PUT');
});

Then('the clock is bound to a token', async function (this: BenchWorld) {
  const { token } = await this.model(this.clock());
  expect(token).to.match(/^[0-9a-f]{32}$/);
  this.remembered.set('token', token);
});

Then('the clock is bound to the same token', async function (this: BenchWorld) {
  const { token } = await this.model(this.clock());
  expect(token).to.match(/^[0-9a-f]{32}$/);
  expect(token).to.equal(this.remembered.get('token') ?? token);
});

Then('the clock is not connected', async function (this: BenchWorld) {
  await this.eventually('the clock is not connected', async () => {
    const { connected } = await this.model(this.clock());
    return connected === false;
  });
});

/** A scan is long enough for a server that still wanted the clock to have it again. */
Then('the clock stays not connected', async function (this: BenchWorld) {
  await (await this.client()).command({ type: 'scan', duration_secs: 1 });
  expect(await this.model(this.clock())).to.include({ connected: false });
});

Then(
  /^the clock's "([^"]+)" (?:is|are) (.+)$/,
  async function (this: BenchWorld, field: string, value: string) {
    expect((await this.model(this.clock()))[field]).to.deep.equal(JSON.parse(value));
  },
);

Then('the clock heard {string}', async function (this: BenchWorld, command: string) {
  expect((await this.model(this.clock()))['commands']).to.have.property(command);
});

/** After connecting a clock has heard of authentication and the proof by its settings, once. */
Then('the clock heard nothing more', async function (this: BenchWorld) {
  const { commands } = await this.model(this.clock());
  expect(commands).to.deep.equal({ auth_init: 1, auth_confirm: 1, read_settings: 1 });
});
