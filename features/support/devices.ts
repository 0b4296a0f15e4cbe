/** The devices of a scenario: devices of the bench, or new virtual devices. */
import type { AnyDiceType } from '../../src/dice/contract.js';
import type { Device } from '../actors/actions.js';
import { Skip } from '../actors/skip.js';
import { MAKERS } from '../actors/makers.js';
import type { Scenario } from './scenario.js';
import type { Die } from './scenario-devices.js';

type Fields = Readonly<Record<string, unknown>>;

const hex = (value: number): string => (value & 0xff).toString(16).padStart(2, '0').toUpperCase();

/** A new address for each call of a run, since the servers store tokens, readings and more by address. */
const freshAddress = (() => {
  const worker = Number(process.env['CUCUMBER_WORKER_ID'] ?? 0);
  const run = Date.now() >> 12;
  let count = 0;
  return (kind: Device['kind']): string => {
    count += 1;
    const head =
      kind === 'clock'
        ? ['58', '2D', '34', hex(((worker + 1) << 6) | (run & 0x3f))]
        : ['D1', 'CE', hex(0x10 + worker), hex(run)];
    return [...head, hex(count >> 8), hex(count)].join(':');
  };
})();

const makeDevice = (scenario: Scenario, kind: Device['kind'], start: Fields): Promise<Fields> =>
  scenario.control.add({ kind, address: freshAddress(kind), ...start });

/** Replaces a virtual device by a factory-new device with the same address and another name. The link is lost. */
export const rename = async (scenario: Scenario, { kind, address }: Device, name: string): Promise<void> => {
  await scenario.control.send('DELETE', `/devices/${address}`);
  await scenario.control.add({ kind, address, name });
};

/** Adds a virtual clock in any state. */
export const makeClock = async (scenario: Scenario, start: Fields = {}): Promise<void> => {
  const { address } = await makeDevice(scenario, 'clock', start);
  scenario.clocks.push({ kind: 'clock', address: String(address), name: undefined });
};

/** The first listed device that fits and that the scenario has not taken yet. */
const unused = <A extends { readonly address: string }>(
  listed: readonly A[],
  taken: readonly Device[],
  fits: (device: A) => boolean = () => true,
): A | undefined =>
  listed.find((device) => !taken.some(({ address }) => address === device.address) && fits(device));

/** Takes the next clock of the bench, or a new virtual clock. */
export const nextClock = async (scenario: Scenario): Promise<void> => {
  const { bench, clocks } = scenario;
  const listed = unused(bench.clocks, clocks);
  if (listed !== undefined) {
    clocks.push({ kind: 'clock', address: listed.address, name: listed.name });
  } else if (bench.virtualAir) {
    await makeClock(scenario);
  } else {
    throw new Skip(lacking('clock', clocks.length));
  }
};

const lacking = (kind: string, has: number): string =>
  has === 0
    ? `needs a ${kind}: the bench has none that fits`
    : `needs ${has + 1} ${kind === 'die' ? 'dice' : 'clocks'}: the bench has ${has}`;

interface WantedDie {
  readonly shell?: AnyDiceType;
  readonly color?: string;
  /** The start state of a virtual die. */
  readonly start?: Fields;
}

const wokenAddresses = new Set<string>();

/** Wakes a real die before its first use, since a die sleeps when nobody moves it. */
const wakeOnce = async (scenario: Scenario, die: Die): Promise<void> => {
  if (wokenAddresses.has(die.address)) return;
  wokenAddresses.add(die.address);
  const wake = { type: 'wake' } as const;
  await scenario.hands.actors.wake?.act(die, wake, scenario.occasion(die, wake));
};

/**
 * Takes the next die of the bench that fits, or a new virtual die. Without a `shell`, a d6 comes before dice in other
 * shells, which do as long as the scenario does not roll them.
 */
export const nextDie = async (
  scenario: Scenario,
  { shell, color, start = {} }: WantedDie = {},
): Promise<void> => {
  const { bench, dice, maker } = scenario;
  const shape = shell ?? 'd6';
  const ofMaker = bench.dice.filter((die) => (die.maker ?? 'GoDice') === maker);
  const ofColor = ofMaker.filter((die) => color === undefined || die.color === color);
  const listed =
    unused(ofColor, dice, (die) => (die.shell ?? shape) === shape) ??
    (shell === undefined ? unused(ofColor, dice) : undefined);
  if (listed !== undefined) {
    const die: Die = {
      ...{ kind: MAKERS[maker], address: listed.address, name: listed.name, shell: listed.shell },
      color: listed.color,
      ...{ session: undefined, type: shape },
    };
    dice.push(die);
    await wakeOnce(scenario, die);
  } else if (bench.virtualAir) {
    const kind = MAKERS[maker];
    const made = await makeDevice(scenario, kind, {
      ...(color !== undefined && { color }),
      ...(maker === 'Pixels' && { die: shape }),
      ...start,
    });
    dice.push({
      ...{ kind, address: String(made['address']), name: String(made['name']), shell: undefined },
      color: typeof made['color'] === 'string' ? made['color'] : undefined,
      ...{ session: undefined, type: shape },
    });
  } else if (color !== undefined) {
    throw new Skip(`needs ${color === 'orange' ? 'an' : 'a'} ${color} die: the bench has none`);
  } else if (shell !== undefined) {
    throw new Skip(`needs a die in a ${shell} shell: the bench has none`);
  } else {
    throw new Skip(lacking(maker === 'GoDice' ? 'die' : `${maker} die`, dice.length));
  }
};
