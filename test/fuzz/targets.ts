/** The targets of fuzzing: both servers on a fake radio, and the control API with a world, each in this process. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { serveControl, builtInKinds } from '../../simulators/control/index.js';
import { contract as controlContract } from '../../simulators/control/contract.js';
import { pageFiles } from '../../src/api-docs/index.js';
import { contract as clockContract } from '../../src/clock/contract.js';
import type { Contract } from '../../src/contract/index.js';
import { contract as diceContract } from '../../src/dice/contract.js';
import { DEFAULT_PROTECTION, pageRoutes, type Protection } from '../../src/http/index.js';
import { HEARTBEAT_MS } from '../../src/http/socket.js';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { property } from '../api-docs/recorder.js';
import { right } from '../support/either.js';
import { at, post, request } from '../support/client.js';
import { ClockClient } from '../../src/testing/internal/clock-client.js';
import { FakeClock } from '../support/fake-clock.js';
import type { FakeDevice } from '../support/fake-device.js';
import { FakeDie } from '../support/fake-die.js';
import { FakeRadio } from '../support/fake-radio.js';
import type { Known } from './values.js';
import { openClockServer, openDiceServer } from '../support/servers.js';
import { openWorld } from '../support/world.js';

export interface Target {
  readonly contract: Contract;
  /** The paths beside its contract: the files of its pages. */
  readonly files: Contract['endpoints'];
  readonly port: number;
  readonly known: Known;
  /** The failures of its own in its log. */
  readonly failures: readonly string[];
  /** Puts back what requests have undone, and forgets what devices remember for tests. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<unknown>;
}

export type TargetName = 'dice' | 'clock' | 'control';

const LONGEST_WAIT_MS = 20;
const ADVERTISING_MS = 5;

/** Time in which nothing but the heartbeat takes longer than a moment. */
const hasty: TimeSource = {
  ...systemTime,
  after: (ms, task) => systemTime.after(ms === HEARTBEAT_MS ? ms : Math.min(ms, LONGEST_WAIT_MS), task),
};

const protection: Protection = {
  ...DEFAULT_PROTECTION,
  requestsPerMinute: 0,
  headersMs: 1_000,
  requestMs: 2_000,
};

const ERROR = 50;

/** A log of which only errors are kept, whatever level clients give it. */
const failureLog = () => {
  const failures: string[] = [];
  const write = (line: Buffer, _encoding: unknown, done: () => void): void => {
    if (Number(property(JSON.parse(line.toString()), 'level')) >= ERROR) failures.push(line.toString());
    done();
  };
  return { failures, log: pino({ level: 'error' }, new Writable({ write })) };
};

const addressesOf = (prefix: string): readonly string[] =>
  ['1', '2', '3'].map((last) => `${prefix}:00:00:0${last}`);

/** Devices that are heard again and again. */
const advertise = (radio: FakeRadio, devices: readonly FakeDevice[]): (() => void) => {
  const timer = setInterval(() => devices.forEach((device) => radio.advertise(device)), ADVERTISING_MS);
  return () => clearInterval(timer);
};

const filesOf = (page: 'dice' | 'clocks' | 'simulator'): Target['files'] =>
  Object.fromEntries([...pageRoutes(page), ...pageFiles].map(({ endpoint }) => [endpoint.path, endpoint]));

const limits = { scan: 10, reconnect: 20, answer: 20, calibrate: 20, find: 10, reading: 10, idle: null };

const openDice = async (): Promise<Target> => {
  const radio = new FakeRadio(hasty);
  const { failures, log } = failureLog();
  const dice = addressesOf('D1:CE:00').map((address) => radio.put(new FakeDie(address, radio, {})));
  const stop = advertise(radio, dice);
  const { port, close } = await openDiceServer({ radio, time: hasty, log, config: { limits }, protection });
  const address = dice.map((die) => die.address);
  const sessions: string[] = [];
  return {
    ...{ contract: diceContract, files: filesOf('dice'), port, failures },
    known: { address, session_id: sessions },
    refresh: async () => {
      sessions.length = 0;
      for (const die of dice) {
        die.commands = [];
        const { body } = await post(port, '/api/connect', { address: die.address });
        sessions.push((body as { readonly session_id: string }).session_id);
      }
    },
    close: () => {
      stop();
      return close();
    },
  };
};

const openClock = async (): Promise<Target> => {
  const radio = new FakeRadio(hasty);
  const { failures, log } = failureLog();
  const clocks = addressesOf('58:2D:34').map((address) => radio.put(new FakeClock(address, radio)));
  const stop = advertise(radio, clocks);
  const { port, close } = await openClockServer({ radio, time: hasty, log, config: { limits }, protection });
  const client = await ClockClient.open(`${at(port)}/ws`);
  return {
    ...{ contract: clockContract, files: filesOf('clocks'), port, failures },
    known: { address: clocks.map(({ address }) => address) },
    refresh: async () => {
      for (const device of clocks) {
        device.commands = [];
        await client.send({ type: 'connect', address: device.address });
      }
    },
    close: () => {
      stop();
      return close();
    },
  };
};

const openControl = async (): Promise<Target> => {
  const simulated = await openWorld([]);
  const { failures, log } = failureLog();
  const { port, close } = right(
    await serveControl({ address: '127.0.0.1', port: 0, world: simulated.world, log, protection })(),
  );
  return {
    ...{ contract: controlContract(builtInKinds), files: filesOf('simulator'), port, failures },
    known: { address: ['D1:CE:00:00:00:01', '58:2D:34:00:00:01'], id: ['1', '2', '3', 'hci0'] },
    refresh: async () => {
      await post(port, '/reset', {});
      for (const kind of ['dice', 'clock']) await post(port, '/devices', { kind });
    },
    close: async () => {
      await request(port, '/reset', { method: 'POST' });
      await close();
      await simulated.close();
    },
  };
};

export const targets: Readonly<Record<TargetName, () => Promise<Target>>> = {
  dice: openDice,
  clock: openClock,
  control: openControl,
};
