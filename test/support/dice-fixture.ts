/** A dice server over real HTTP, on a fake radio and a clock that stands still. */
import { expect } from 'chai';
import { beforeEach } from 'mocha';
import type { Advertisement } from '../../src/ble/ports.js';
import type { DiceLimits } from '../../src/dice/config.js';
import type { ConnectRequest } from '../../src/dice/contract.js';
import { measuring } from '../../src/dice/drivers/godice/die.js';
import { goDice } from '../../src/dice/drivers/godice/driver.js';
import type { DiceType } from '../../src/protocols/dice-values.js';
import { initialState, noOffset, type DieState } from '../../src/dice/state.js';
import { measuredRadio } from '../../src/metrics/radio.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import type { Fleet } from '../../src/mqtt/index.js';
import { type Answer, listenTo, post, refusalOf, request, type Init } from './client.js';
import type { DieScript, FakeDie } from './fake-die.js';
import { expectNothingLeft, FakeRadio } from './fake-radio.js';
import { keeper } from './keep.js';
import { openDiceServer, storeIn } from './servers.js';
import { steppedTime } from './stepped-time.js';

export const RED = 'D1:CE:00:00:00:01';
export const GREEN = 'D1:CE:00:00:00:02';

/** Each limit is a different number, which identifies it in a test. */
export const LIMITS: DiceLimits = { scan: 5_001, reconnect: 60_002, answer: 5_003, calibrate: 10_004 };

/** The default advertisement of a GoDice. */
export const advertisementOf = (name: string | null = null, rssi: number | null = null): Advertisement => ({
  ...{ address: RED, name, rssi, heardAt: new Date(0), connectable: true },
  ...{ serviceUuids: [], manufacturerData: null, serviceData: [] },
});

/** The state of a GoDice after its advertisement. */
export const startOf = (diceType: DiceType, name?: string, rssi?: number): DieState =>
  initialState(goDice, { type: measuring }, { diceType, offset: noOffset }, advertisementOf(name, rssi));

export const codeOf = ({ body }: Answer): unknown => (body as { readonly code: unknown }).code;

interface FixtureOptions {
  readonly autoConnect?: readonly ConnectRequest[];
  /** The number in its instance; its session ids count on from there. */
  readonly firstId?: number;
  readonly fleet?: Fleet | undefined;
  /** The folder of its memory; no memory by default. */
  readonly folder?: string;
}

export const startFixture = async (options: FixtureOptions = {}) => {
  const { autoConnect = [], firstId = 0, fleet, folder } = options;
  const radio = new FakeRadio();
  const time = steppedTime(Date.UTC(2026, 0, 2, 3, 4, 5));
  const metrics = openMetrics('dice');
  let ids = firstId;
  const server = await openDiceServer({
    radio: measuredRadio(radio, metrics, time),
    ...{ time, metrics, fleet, random: () => 0.5, newId: () => `id-${ids++}` },
    config: { limits: LIMITS, autoConnect },
    ...(folder !== undefined && { openStore: storeIn(folder, 'dice', time) }),
  });
  const { port } = server;
  const dice: FakeDie[] = [];

  /** Connects a die and returns its session id. */
  const connect = async (address: string, dice_type?: string): Promise<string> => {
    const { status, body } = await post(port, '/api/connect', { address, ...(dice_type && { dice_type }) });
    expect(status, JSON.stringify(body)).to.equal(200);
    return (body as { readonly session_id: string }).session_id;
  };

  return {
    radio,
    time,
    server,
    post: (path: string, body: unknown, init?: Init) => post(port, path, body, init),
    /** Changes the record of a die. */
    patch: (address: string, body: unknown) => post(port, `/api/dice/${address}`, body, { method: 'PATCH' }),
    get: (path: string) => request(port, path),
    listen: (query = '') => listenTo(port, `/ws${query}`),
    refusedStream: (query: string) => refusalOf(port, `/ws${query}`),
    connect,
    /** Adds a die, and connects it. */
    die: async (address: string, script?: DieScript) => {
      const die = radio.add(address, script);
      dice.push(die);
      return { die, id: await connect(address) };
    },
    /** Closes the server and checks that it leaves no timer, listener or link. */
    close: async (): Promise<void> => {
      await server.close();
      expectNothingLeft(time, radio, dice);
    },
  };
};
export type DiceFixture = Awaited<ReturnType<typeof startFixture>>;

/** A fixture for each test of a suite, closed after it. */
export const eachFixture = (begin: (fixture: DiceFixture) => void): void => {
  const keep = keeper();
  beforeEach(async () => begin(keep(await startFixture())));
};

/** A fixture with RED connected for each test of a suite, closed after it. */
export const eachDie = (
  begin: (connected: { fixture: DiceFixture; die: FakeDie; id: string }) => void,
): void => {
  let fixture: DiceFixture;
  eachFixture((started) => (fixture = started));
  beforeEach(async () => begin({ fixture, ...(await fixture.die(RED)) }));
};
