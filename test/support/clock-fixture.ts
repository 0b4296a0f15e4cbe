/** A clock server over real HTTP and WebSockets, on a fake radio and a clock that stands still. */
import { beforeEach } from 'mocha';
import type { Address } from '../../src/ble/ports.js';
import type { ClockLimits } from '../../src/clock/config.js';
import { DEFAULT_PROTECTION, type Protection } from '../../src/http/index.js';
import { measuredRadio } from '../../src/metrics/radio.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import type { Fleet } from '../../src/mqtt/index.js';
import { at, listenTo, request } from './client.js';
import { ClockClient } from '../../simulators/testing/internal/clock-client.js';
import { FakeClock } from './fake-clock.js';
import { expectNothingLeft, FakeRadio } from './fake-radio.js';
import { keeper } from './keep.js';
import { newFolder } from './folders.js';
import { openClockServer, storeIn } from './servers.js';
import { steppedTime } from './stepped-time.js';

export const KITCHEN = '58:2D:34:00:00:01';
export const BEDROOM = '58:2D:34:00:00:02';
export const HALL = '58:2D:34:00:00:03';

/** Each limit is a different number, which identifies it in a test. */
export const LIMITS: ClockLimits = {
  find: 10_001,
  answer: 10_002,
  reading: 5_003,
  reconnect: null,
  idle: null,
};

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export interface FixtureOptions {
  /** The time of day at the start, ms since 1970. */
  readonly start?: number;
  readonly limits?: Partial<ClockLimits>;
  /** The folder of another fixture, to continue with its tokens and its memory. */
  readonly folder?: string;
  /** False, the default: the server remembers nothing but tokens. */
  readonly remembers?: boolean;
  readonly historyDays?: number | null;
  /** The byte of the first token; later tokens count up. */
  readonly firstToken?: number;
  readonly fleet?: Fleet;
  readonly protection?: Partial<Protection>;
}

export const startFixture = async (options: FixtureOptions = {}) => {
  const { start = START, limits = {}, folder = newFolder(), firstToken = 1 } = options;
  const { fleet, protection, remembers = false, historyDays = null } = options;
  const time = steppedTime(start);
  const radio = new FakeRadio(time);
  const metrics = openMetrics('clock');
  let ids = 0;
  let token = firstToken;
  const server = await openClockServer({
    radio: measuredRadio(radio, metrics, time),
    ...{ time, metrics, fleet, random: () => 0.5, newId: () => `id-${ids++}` },
    config: { dataFolder: folder, limits: { ...LIMITS, ...limits }, historyDays },
    ...(remembers && { openStore: storeIn(folder, 'clock', time) }),
    protection: { ...DEFAULT_PROTECTION, ...protection },
    newToken: () => Buffer.alloc(16, token++),
  });
  const { port } = server;
  const clocks: FakeClock[] = [];

  const add = (address: Address, advertised = true): FakeClock => {
    const device = new FakeClock(address, radio);
    clocks.push(device);
    return radio.put(device, advertised);
  };

  return {
    radio,
    time,
    server,
    /** The folder of tokens and memory. */
    folder,
    get: (path: string) => request(port, path),
    listen: (query = '') => listenTo(port, `/ws${query}`),
    client: (query = '') => ClockClient.open(at(port) + `/ws${query}`),
    add,
    /** Adds a clock and connects it. */
    connected: async (address: Address, client: ClockClient): Promise<FakeClock> => {
      const device = add(address);
      await client.succeed({ type: 'connect', address });
      return device;
    },
    /** Closes the server and checks that it leaves no timer, listener or link. */
    close: async (): Promise<void> => {
      await server.close();
      expectNothingLeft(time, radio, clocks);
    },
  };
};
export type ClockFixture = Awaited<ReturnType<typeof startFixture>>;

/** A fixture in which a client has connected KITCHEN, without the commands of the connection. */
export const startKitchen = async (options?: FixtureOptions) => {
  const fixture = await startFixture(options);
  const client = await fixture.client();
  const device = await fixture.connected(KITCHEN, client);
  device.commands = [];
  return { fixture, client, device };
};
export type Kitchen = Awaited<ReturnType<typeof startKitchen>>;

/** A fixture and a client for each test of a suite, closed after it. */
export const eachFixture = (begin: (started: Omit<Kitchen, 'device'>) => void): void => {
  const keep = keeper();
  beforeEach(async () => {
    const fixture = keep(await startFixture());
    begin({ fixture, client: await fixture.client() });
  });
};

/** A kitchen for each test of a suite, closed after it. */
export const eachKitchen = (begin: (kitchen: Kitchen) => void, options?: FixtureOptions): void => {
  const keep = keeper();
  beforeEach(async () => {
    const kitchen = await startKitchen(options);
    keep(kitchen.fixture);
    begin(kitchen);
  });
};
