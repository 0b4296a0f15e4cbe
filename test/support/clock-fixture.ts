/** A clock server over real HTTP and WebSockets, on a fake radio and a clock that stands still. */
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { afterEach, beforeEach } from 'mocha';
import type { Address } from '../../src/ble/ports.js';
import type { ClockLimits } from '../../src/clock/config.js';
import { startClockServer, startMessage, type ClockServer } from '../../src/clock/index.js';
import { DEFAULT_PROTECTION, type Protection } from '../../src/http/index.js';
import { measuredRadio, openMetrics } from '../../src/metrics/index.js';
import type { Fleet } from '../../src/mqtt/index.js';
import { listenTo, request, type Answer, type Listener } from './client.js';
import { FakeClock } from './fake-clock.js';
import { FakeRadio } from './fake-radio.js';
import { newFolder } from './folders.js';
import { silent } from './log.js';
import { steppedTime, type SteppedTime } from './stepped-time.js';

export const KITCHEN = '58:2D:34:00:00:01';
export const BEDROOM = '58:2D:34:00:00:02';
export const HALL = '58:2D:34:00:00:03';

/** Each limit is a different number, so that a test can identify what waits. */
export const LIMITS: ClockLimits = {
  find: 10_001,
  answer: 10_002,
  reading: 5_003,
  reconnect: null,
  idle: null,
};

export interface Response {
  readonly id: number;
  readonly result: unknown;
  readonly error: string | null;
  readonly code?: string;
}

/** A client that matches answers by their id and keeps events apart. */
export class ClockClient {
  private nextId = 1;
  private readonly waiting = new Map<number, (response: Response) => void>();
  private readonly received: unknown[] = [];
  private wanting: ((event: unknown) => void) | undefined;

  constructor(readonly listener: Listener) {
    for (const message of listener.unread) this.deliver(message as Response);
    listener.socket.on('message', (data: Buffer) => this.deliver(JSON.parse(data.toString()) as Response));
  }

  /** Events not asked for yet. */
  get unread(): readonly unknown[] {
    return this.received;
  }

  send(command: unknown): Promise<Response> {
    const id = this.nextId++;
    this.listener.socket.send(JSON.stringify({ id, command }));
    return this.answered(id);
  }

  /** Sends a text as it is and answers with the response that has `id`. */
  say(text: string, id: number): Promise<Response> {
    this.listener.socket.send(text);
    return this.answered(id);
  }

  async succeed(command: unknown): Promise<unknown> {
    const { result, error } = await this.send(command);
    expect(error).to.equal(null);
    return result;
  }

  async fail(command: unknown): Promise<string> {
    const { result, error } = await this.send(command);
    expect(result).to.equal(null);
    return error ?? '';
  }

  event(): Promise<unknown> {
    return this.received.length > 0
      ? Promise.resolve(this.received.shift())
      : new Promise((resolve) => {
          this.wanting = resolve;
        });
  }

  private deliver(message: Response): void {
    if (!('event' in message)) {
      this.waiting.get(message.id)?.(message);
      this.waiting.delete(message.id);
    } else if (this.wanting === undefined) {
      this.received.push(message);
    } else {
      this.wanting(message);
      this.wanting = undefined;
    }
  }

  private answered(id: number): Promise<Response> {
    return new Promise((resolve) => this.waiting.set(id, resolve));
  }
}

export interface ClockFixture {
  readonly radio: FakeRadio;
  readonly time: SteppedTime;
  readonly server: ClockServer;
  /** Where the tokens are. */
  readonly folder: string;
  readonly get: (path: string) => Promise<Answer>;
  readonly listen: (query?: string) => Promise<Listener>;
  readonly client: (query?: string) => Promise<ClockClient>;
  readonly add: (address: Address, advertised?: boolean) => FakeClock;
  /** Adds a clock and connects it. */
  readonly connected: (address: Address, client: ClockClient) => Promise<FakeClock>;
  /** Closes the server and checks that nothing is left. */
  readonly close: () => Promise<void>;
}

/** A fixture in which a client has connected one clock. */
export interface Kitchen {
  readonly fixture: ClockFixture;
  readonly client: ClockClient;
  /** KITCHEN, which remembers no command of the connecting. */
  readonly device: FakeClock;
}

export interface FixtureOptions {
  readonly limits?: Partial<ClockLimits>;
  readonly kept?: readonly Address[];
  /** Another fixture's, to go on with its tokens. */
  readonly folder?: string;
  /** Its tokens begin with this byte, and count up. */
  readonly firstToken?: number;
  readonly fleet?: Fleet;
  readonly protection?: Partial<Protection>;
}

export const startFixture = async (options: FixtureOptions = {}): Promise<ClockFixture> => {
  const { limits = {}, kept = [], folder = newFolder(), firstToken = 1, fleet, protection } = options;
  const time = steppedTime(Date.UTC(2026, 0, 2, 3, 4, 5, 678));
  const radio = new FakeRadio(time);
  const metrics = openMetrics('clock');
  let ids = 0;
  let token = firstToken;
  const started = await startClockServer({
    radio: measuredRadio(radio, metrics, time),
    time,
    metrics,
    log: silent,
    config: {
      address: '127.0.0.1',
      port: 0,
      dataFolder: folder,
      limits: { ...LIMITS, ...limits },
      autoConnect: kept,
    },
    random: () => 0.5,
    newId: () => `id-${ids++}`,
    fleet,
    protection: { ...DEFAULT_PROTECTION, ...protection },
    newToken: () => Buffer.alloc(16, token++),
  })();
  if (E.isLeft(started)) throw new Error(startMessage(started.left));
  const server = started.right;
  const { port } = server;
  const clocks: FakeClock[] = [];

  const fixture: ClockFixture = {
    radio,
    time,
    server,
    folder,
    get: (path) => request(port, path),
    listen: (query = '') => listenTo(port, `/ws${query}`),
    client: async (query) => new ClockClient(await fixture.listen(query)),
    add: (address, advertised = true) => {
      const device = new FakeClock(address, radio);
      clocks.push(device);
      return radio.put(device, advertised);
    },
    connected: async (address, client) => {
      const device = fixture.add(address);
      await client.succeed({ type: 'connect', address });
      return device;
    },
    close: async () => {
      await server.close();
      expect(time.pending, 'timers').to.equal(0);
      expect(radio.listeners.size, 'advertisement listeners').to.equal(0);
      expect(radio.observers.size, 'advertisement observers').to.equal(0);
      expect(radio.stateListeners.size, 'adapter listeners').to.equal(0);
      for (const { link, address } of clocks) expect(link, `the link of ${address}`).to.equal(undefined);
    },
  };
  return fixture;
};

export const startKitchen = async (options?: FixtureOptions): Promise<Kitchen> => {
  const fixture = await startFixture(options);
  const client = await fixture.client();
  const device = await fixture.connected(KITCHEN, client);
  device.commands = [];
  return { fixture, client, device };
};

/** A fixture and a client for each test of a suite, closed behind it. */
export const eachFixture = (begin: (started: Omit<Kitchen, 'device'>) => void): void => {
  let fixture: ClockFixture;
  beforeEach(async () => {
    fixture = await startFixture();
    begin({ fixture, client: await fixture.client() });
  });
  afterEach(() => fixture.close());
};

/** A kitchen for each test of a suite, closed behind it. */
export const eachKitchen = (begin: (kitchen: Kitchen) => void, options?: FixtureOptions): void => {
  let kitchen: Kitchen;
  beforeEach(async () => {
    kitchen = await startKitchen(options);
    begin(kitchen);
  });
  afterEach(() => kitchen.fixture.close());
};
