/** The dice of a scenario, and what happens to them. */
import { Given, When } from '@cucumber/cucumber';
import type { BenchWorld } from '../support/world.js';

/** What a d6 measures on each face: one axis at ±64 counts. */
const d6 = [
  { x: -64, y: 0, z: 0 },
  { x: 0, y: 0, z: 64 },
  { x: 0, y: 64, z: 0 },
  { x: 0, y: -64, z: 0 },
  { x: 0, y: 0, z: -64 },
  { x: 64, y: 0, z: 0 },
];

const addDie = async (world: BenchWorld, start: Readonly<Record<string, unknown>> = {}): Promise<void> => {
  const { address, name } = (await world.act('/devices', {
    kind: 'dice',
    address: freshAddress(),
    ...start,
  })) as { address: string; name: string };
  world.dice.push({ address, name, session: undefined, type: 'd6' });
};

/** Never the same twice in a run, so that no scenario meets what the server remembers of another. */
const freshAddress = (() => {
  let count = 0;
  const worker = Number(process.env['CUCUMBER_WORKER_ID'] ?? 0);
  const hex = (value: number): string => (value & 0xff).toString(16).padStart(2, '0').toUpperCase();
  const run = Date.now();
  return (): string => {
    count += 1;
    return ['D1', 'CE', hex(0x10 + worker), hex(run >> 12), hex(count >> 8), hex(count)].join(':');
  };
})();

const actOn = (
  world: BenchWorld,
  number: number,
  action: Readonly<Record<string, unknown>>,
): Promise<unknown> => world.act(`/devices/${world.die(number).address}/actions`, action);

const roll = async (world: BenchWorld, number: number, face: number, ending = 'stable'): Promise<void> => {
  world.rolled.push(face);
  await actOn(world, number, { type: 'roll', die: world.die(number).type, face, ending });
};

const acceleration = (x: number, y: number, z: number) => ({ acceleration: { x, y, z } });

Given('a die', async function (this: BenchWorld) {
  await addDie(this);
});

Given('{int} dice', async function (this: BenchWorld, count: number) {
  for (let n = 0; n < count; n++) await addDie(this);
});

Given(/^a (black|red|green|blue|yellow|orange) die$/, async function (this: BenchWorld, color: string) {
  await addDie(this, { color });
});

Given('a die that rests on {int}', async function (this: BenchWorld, face: number) {
  await addDie(this, { resting: d6[face - 1] });
});

Given('a connected die', async function (this: BenchWorld) {
  await addDie(this);
  await this.connect(this.die());
});

Given('a connected die as {word}', async function (this: BenchWorld, type: string) {
  await addDie(this);
  this.die().type = type;
  await this.connect(this.die(), { dice_type: type });
});

Given('{int} connected dice', async function (this: BenchWorld, count: number) {
  for (let n = 1; n <= count; n++) {
    await addDie(this);
    await this.connect(this.die(n));
  }
});

Given('die {int} is heard with {int} dBm', async function (this: BenchWorld, number: number, rssi: number) {
  await this.act(`/air/${this.die(number).address}`, { rssi }, 'PUT');
});

Given("the die's battery is at {int}", async function (this: BenchWorld, level: number) {
  await actOn(this, 1, { type: 'battery', level });
});

Given(
  "the die's resting acceleration is {int}, {int}, {int}",
  async function (this: BenchWorld, x: number, y: number, z: number) {
    await actOn(this, 1, { type: 'turn', ...acceleration(x, y, z) });
  },
);

Given('the die ignores {string}', async function (this: BenchWorld, opcode: string) {
  await this.act(`/devices/${this.die().address}/temper`, { silent_opcodes: [opcode] }, 'PUT');
});

When('the die rolls {int}', async function (this: BenchWorld, face: number) {
  await roll(this, 1, face);
});

When('die {int} rolls {int}', async function (this: BenchWorld, number: number, face: number) {
  await roll(this, number, face);
});

When('the die rolls {int}, ending {word}', async function (this: BenchWorld, face: number, ending: string) {
  await roll(this, 1, face, ending);
});

/** One after the other: a die cannot begin a roll before it ended the one before. */
When('the die rolls each of {}', async function (this: BenchWorld, faces: string) {
  const [stream] = this.streams;
  for (const face of faces.split(',').map(Number)) {
    const before = stream?.messages.length ?? 0;
    await roll(this, 1, face);
    await stream?.reaches(before + 2);
  }
});

When('the die begins a roll that does not end', async function (this: BenchWorld) {
  await actOn(this, 1, { type: 'roll', die: 'd6', face: 1, ending: 'none' });
});

When('the die is turned to {int}', async function (this: BenchWorld, face: number) {
  await actOn(this, 1, { type: 'turn', die: this.die().type, face });
});

When(
  'the die comes to rest at {int}, {int}, {int}',
  async function (this: BenchWorld, x: number, y: number, z: number) {
    await actOn(this, 1, { type: 'turn', ...acceleration(x, y, z) });
  },
);

When('the die is tapped', async function (this: BenchWorld) {
  await actOn(this, 1, { type: 'tap' });
});

When('the die is tapped twice', async function (this: BenchWorld) {
  await actOn(this, 1, { type: 'double_tap' });
});

When('the die is put on its charger', async function (this: BenchWorld) {
  await actOn(this, 1, { type: 'charge', on: true });
});

When('the die is taken off its charger', async function (this: BenchWorld) {
  await actOn(this, 1, { type: 'charge', on: false });
});
