/** The targets of fuzzing: both servers on a fake radio, and the control API with a world, each in this process. */
import { Writable } from 'node:stream';
import { pino } from 'pino';
import { serveControl, builtInKinds } from '../../../simulators/control/index.js';
import { contract as controlContract } from '../../../simulators/control/contract.js';
import { pageFiles } from '../../../src/api-docs/index.js';
import { contract as clockContract } from '../../../src/clock/contract.js';
import type { Contract } from '../../../src/contract/index.js';
import { contract as diceContract } from '../../../src/dice/contract.js';
import { DEFAULT_PROTECTION, pageRoutes, type Protection } from '../../../src/http/index.js';
import { HEARTBEAT_MS } from '../../../src/http/socket.js';
import { systemTime, type TimeSource } from '../../../src/async/time.js';
import { ClockClient } from '../../../simulators/testing/internal/clock-client.js';
import { HttpClient } from '../../../simulators/testing/internal/http-client.js';
import { property } from '../../api-docs/recorder.js';
import { right } from '../../support/either.js';
import { FakeClock } from '../../support/fake-clock.js';
import type { FakeDevice } from '../../support/fake-device.js';
import { FakeDie } from '../../support/fake-die.js';
import { FakeRadio } from '../../support/fake-radio.js';
import type { Known } from './values.js';
import { newFolder } from '../../support/folders.js';
import { openClockServer, openDiceServer, storeIn } from '../../support/servers.js';
import { openWorld } from '../../support/world.js';

export interface Target {
  readonly contract: Contract;
  /** The paths beside its contract: the files of its pages. */
  readonly files: Contract['endpoints'];
  readonly http: HttpClient;
  readonly known: Known;
  /** The errors in its log. */
  readonly failures: readonly string[];
  /** Connects the devices again, and empties the records that fake devices keep for tests. */
  readonly refresh: () => Promise<void>;
  readonly close: () => Promise<unknown>;
}

const LONGEST_WAIT_MS = 20;
const ADVERTISING_MS = 5;

/** A clock on which every wait is short, the heartbeat of sockets aside. */
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

/** A log that keeps errors alone, whatever level it is set to. */
const failureLog = () => {
  const failures: string[] = [];
  const write = (line: Buffer, _encoding: unknown, done: () => void): void => {
    if (Number(property(JSON.parse(line.toString()), 'level')) >= ERROR) failures.push(line.toString());
    done();
  };
  return { failures, log: pino({ level: 'error' }, new Writable({ write })) };
};

const clientOf = (port: number): HttpClient => new HttpClient(`http://127.0.0.1:${port}`);

const addressesOf = (prefix: string): readonly string[] =>
  ['1', '2', '3'].map((last) => `${prefix}:00:00:0${last}`);

const filesOf = (page: Parameters<typeof pageRoutes>[0]): Target['files'] =>
  Object.fromEntries([...pageRoutes(page), ...pageFiles].map(({ endpoint }) => [endpoint.path, endpoint]));

const limits = { scan: 10, reconnect: 20, answer: 20, calibrate: 20, find: 10, reading: 10, idle: null };

/** A server on a fake radio whose devices advertise all the time. */
const openOnRadio = async <D extends FakeDevice>(
  devicesOn: (radio: FakeRadio) => readonly D[],
  open: typeof openDiceServer | typeof openClockServer,
) => {
  const radio = new FakeRadio(hasty);
  const { failures, log } = failureLog();
  const devices = devicesOn(radio);
  const timer = setInterval(() => devices.forEach((device) => radio.advertise(device)), ADVERTISING_MS);
  const { port, close } = await open({
    ...{ radio, time: hasty, log, config: { limits }, protection },
    openStore: storeIn(newFolder(), 'fuzzed'),
  });
  return {
    ...{ devices, failures, http: clientOf(port) },
    close: () => {
      clearInterval(timer);
      return close();
    },
  };
};

const openDice = async (): Promise<Target> => {
  const { devices, http, ...server } = await openOnRadio(
    (radio) => addressesOf('D1:CE:00').map((address) => radio.put(new FakeDie(address, radio, {}))),
    openDiceServer,
  );
  const sessions: string[] = [];
  return {
    ...{ ...server, http, contract: diceContract, files: filesOf('src/page/dice') },
    known: { address: devices.map(({ address }) => address), session_id: sessions },
    refresh: async () => {
      sessions.length = 0;
      for (const die of devices) {
        die.commands = [];
        const { json } = await http.post('/api/connect', { address: die.address });
        sessions.push((json as { readonly session_id: string }).session_id);
      }
    },
  };
};

const openClock = async (): Promise<Target> => {
  const { devices, http, ...server } = await openOnRadio(
    (radio) => addressesOf('58:2D:34').map((address) => radio.put(new FakeClock(address, radio))),
    openClockServer,
  );
  const client = await ClockClient.open(`${http.url}/ws`);
  return {
    ...{ ...server, http, contract: clockContract, files: filesOf('src/page/clocks') },
    known: { address: devices.map(({ address }) => address) },
    refresh: async () => {
      for (const clock of devices) {
        clock.commands = [];
        await client.send({ type: 'connect', address: clock.address });
      }
    },
  };
};

const openControl = async (): Promise<Target> => {
  const simulated = await openWorld([]);
  const { failures, log } = failureLog();
  const { port, close } = right(
    await serveControl({ address: '127.0.0.1', port: 0, world: simulated.world, log, protection })(),
  );
  const http = clientOf(port);
  return {
    ...{
      contract: controlContract(builtInKinds),
      files: filesOf('simulators/page/simulator'),
      http,
      failures,
    },
    known: { address: ['D1:CE:00:00:00:01', '58:2D:34:00:00:01'], id: ['1', '2', '3', 'hci0'] },
    refresh: async () => {
      await http.post('/reset');
      for (const kind of ['dice', 'clock']) await http.post('/devices', { kind });
    },
    close: async () => {
      await http.post('/reset');
      await close();
      await simulated.close();
    },
  };
};

/** How each target is opened. */
export const targets = { dice: openDice, clock: openClock, control: openControl } as const;
