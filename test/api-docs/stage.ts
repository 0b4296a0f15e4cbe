/** Both servers and the control API on the virtual radio, in one process, whose time stands still. */
import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import * as E from 'fp-ts/lib/Either.js';
import { World, serveControl, builtInKinds } from '../../simulators/control/index.js';
import { Air, H4Server, Trace } from '../../simulators/radio/index.js';
import { tokenAccess } from '../../src/access/access.js';
import type { Contract } from '../../src/contract/index.js';
import * as clockConfig from '../../src/clock/config.js';
import * as diceConfig from '../../src/dice/config.js';
import type { NobleRadio } from '../../src/ble/noble/index.js';
import { DEFAULT_PROTECTION } from '../../src/http/index.js';
import { systemTime } from '../../src/async/time.js';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import { Fixture } from '../support/bluetooth-fixture.js';
import { silent } from '../support/log.js';
import { steppedTime, type SteppedTime } from '../support/stepped-time.js';
import { contracts, Recorder } from './recorder.js';
import { right } from '../support/either.js';
import { openClockServer, openDiceServer, storeIn } from '../support/servers.js';
import { populate } from '../support/world.js';

export const DIE = 'D1:CE:00:00:00:01';
export const OTHER_DIE = 'D1:CE:00:00:00:02';
export const THIRD_DIE = 'D1:CE:00:00:00:03';
/** A die of another maker, which a walk adds. */
export const PIXELS = 'F1:CE:00:00:00:01';
export const CLOCK = '58:2D:34:00:00:01';
export const OTHER_CLOCK = '58:2D:34:00:00:02';
export const BOUND_CLOCK = '58:2D:34:00:00:03';
/** A die without a name, which a walk adds. */
export const NAMELESS = 'D1:CE:00:00:00:09';
/** The address of no device. */
export const ABSENT = 'AA:BB:CC:DD:EE:FF';

/** The tokens of every server by their scope. */
export const TOKENS = { full: 'full-token-of-the-walk', read: 'read-token-of-the-walk' } as const;

/** The limits of a scan and of a response differ, so that a test can wait for one of them. */
export const DICE_LIMITS = { ...diceConfig.DEFAULT_LIMITS, scan: 3_000 };
export const CLOCK_LIMITS = { ...clockConfig.DEFAULT_LIMITS, find: 8_000 };

const MAX_LINKS = 2;

const START = Date.UTC(2026, 2, 1, 7, 30);

const DEVICES = [
  { kind: 'dice' },
  { kind: 'dice' },
  { kind: 'dice' },
  { kind: 'clock', settings: { volume: 3 } },
  { kind: 'clock', advertised_battery: false },
  { kind: 'clock', token: '00'.repeat(16), behaviour: { wrong_token: 'reject' } },
];

/** A server with its time, and its radio with the radio's time. */
export interface Staged {
  readonly recorder: Recorder;
  readonly time: SteppedTime;
  readonly radio: NobleRadio;
  readonly radioClock: SteppedTime;
  readonly close: () => Promise<void>;
}

export interface Stage {
  readonly dice: Staged;
  /** Servers without a history. */
  readonly forgetful: { readonly dice: Recorder; readonly clock: Recorder };
  readonly clock: Staged & { readonly folder: string };
  readonly control: Recorder;
  /** A control API without a capture whose devices do not come up. */
  readonly broken: Recorder;
  readonly closeControl: () => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Ids that look unguessable, but are the same in each walk. */
const ids = (seed: string): (() => string) => {
  let count = 0;
  return () => createHash('sha256').update(`${seed}${count++}`).digest('base64url').slice(0, 22);
};

const staged = async (fixture: Fixture): Promise<Omit<Staged, 'recorder' | 'close'>> => {
  const radioClock = steppedTime(START);
  return { time: steppedTime(START), radioClock, radio: await fixture.radio({ time: radioClock }) };
};

/** The radio as a server has it. */
const named = (radio: NobleRadio): CombinedRadio =>
  new CombinedRadio([{ name: 'user:hci0', radio }], () => undefined);

const at = { address: '127.0.0.1', port: 0 } as const;

const protection = () => ({
  ...DEFAULT_PROTECTION,
  access: tokenAccess([
    { name: 'walker', scope: 'full', token: TOKENS.full },
    { name: 'reader', scope: 'read', token: TOKENS.read },
  ]),
});

export const openStage = async (): Promise<Stage> => {
  const fixture = await Fixture.open({ seed: 1, pace: 'fast', trace: new Trace(), maxLinks: MAX_LINKS });
  const world = new World(fixture.air, fixture.server);
  await populate(world, DEVICES);
  const make = () => Promise.reject(new Error('no battery'));
  const prepare = () => E.right({ addressType: 'random', make } as const);
  const kinds = { dice: { ...builtInKinds.dice, prepare } };
  const brokenAir = new Air();
  const common = { time: systemTime, log: silent, protection: protection(), ...at };
  const control = right(await serveControl({ world, ...common })());
  const broken = right(
    await serveControl({ world: new World(brokenAir, new H4Server(brokenAir), kinds), ...common })(),
  );

  const optionsOf = (name: string) => ({ protection: protection(), random: () => 0.5, newId: ids(name) });
  const dice = await staged(fixture);
  const diceConfig = {
    limits: DICE_LIMITS,
    simulator: { url: `http://127.0.0.1:${control.port}/`, token: TOKENS.full },
  };
  const folder = mkdtempSync(join(tmpdir(), 'airbench-api-docs-'));
  const diceRunning = await openDiceServer({
    ...dice,
    radio: named(dice.radio),
    ...optionsOf('dice'),
    config: diceConfig,
    openStore: storeIn(folder, 'dice'),
  });
  const clock = await staged(fixture);
  const clockConfig = { dataFolder: folder, limits: CLOCK_LIMITS };
  let token = 1;
  const newToken = () => Buffer.alloc(16, token++);
  const clockRunning = await openClockServer({
    ...clock,
    radio: named(clock.radio),
    ...optionsOf('clock'),
    ...{ config: clockConfig, newToken, openStore: storeIn(folder, 'clock') },
  });
  const forgetfulDice = await openDiceServer({ radio: dice.radio, ...optionsOf('forgetful') });
  const forgetfulClock = await openClockServer({ radio: clock.radio, ...optionsOf('forgetful') });

  const [ofDice, ofClock, ofControl] = contracts;
  const recorderOf = (contract: Contract, { port }: { readonly port: number }) =>
    new Recorder(contract, port, TOKENS.full);
  return {
    dice: { ...dice, recorder: recorderOf(ofDice, diceRunning), close: diceRunning.close },
    forgetful: { dice: recorderOf(ofDice, forgetfulDice), clock: recorderOf(ofClock, forgetfulClock) },
    clock: { ...clock, folder, recorder: recorderOf(ofClock, clockRunning), close: clockRunning.close },
    control: recorderOf(ofControl, control),
    broken: recorderOf(ofControl, broken),
    closeControl: control.close,
    close: async () => {
      await Promise.all(
        [diceRunning, forgetfulDice, clockRunning, forgetfulClock].map((server) => server.close()),
      );
      await Promise.all([control.close(), broken.close()]);
      await world.close();
      await fixture.close();
      rmSync(folder, { recursive: true });
    },
  };
};
