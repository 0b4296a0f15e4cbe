import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { openRadio, type NobleRadio } from '../../src/ble/noble/index.js';
import type { DetailedDiceEvent, DiscoveredDevice } from '../../src/dice/contract.js';
import type { DeviceServer } from '../../src/server/device-server.js';
import { listenTo, post, request } from '../support/client.js';
import { type Listener } from '../../simulators/testing/internal/listener.js';
import { right } from '../support/either.js';
import { collected } from '../support/heap.js';
import { openDiceServer } from '../support/servers.js';
import { openWorld, some } from '../support/world.js';

const DICE = 100;
const ROLLS = 10;
const CLIENTS = 10;
/**
 * Half of the memory of a hundred leaked sessions, since a link alone holds about 30 KB. Code compiled meanwhile and the noise
 * of the collector took up to 1.2 MB.
 */
const HEAP_SLACK = DICE * 15 * 1024;
/** The memory for the events of a round that are kept for clients that come back: a roll has two, a disconnect one. */
const HEAP_KEPT = DICE * (2 * ROLLS + 1) * 512;

/** The limits, in milliseconds: so long that a stalled machine does not reach them. */
const PATIENCE = 100_000;

const faceOf = (die: number, roll: number): number => ((die + roll) % 6) + 1;

interface Counts {
  readonly sessions: unknown;
  readonly listeners: unknown;
  readonly timers: number;
  readonly processListeners: number;
  readonly radio: NobleRadio['counts'];
}

describe('A hundred dice on one server', () => {
  let simulated: Awaited<ReturnType<typeof openWorld>>;
  let radio: NobleRadio;
  let server: DeviceServer;
  let warm: { heap: number; counts: Counts };

  before(async () => {
    simulated = await openWorld(some('dice', DICE), { maxLinks: DICE });
    radio = right(
      await openRadio({
        hci: { kind: 'tcp', host: '127.0.0.1', port: simulated.port },
        limits: { connect: PATIENCE, discover: PATIENCE, gatt: PATIENCE },
        warn: () => undefined,
        memory: { devices: 2000, ms: 1000 },
      })(),
    );
    const limits = { scan: 500, reconnect: PATIENCE, answer: PATIENCE, calibrate: PATIENCE };
    server = await openDiceServer({ radio, config: { limits } });
    // The first round loads and compiles code.
    await rollThemAll();
    warm = await idle();
  });

  after(async () => {
    await server.close();
    await radio.close();
    await simulated.close();
  });

  it('send each of ten clients every event of ten rolls once, in order per die', async () => {
    const { sessions, clients } = await rollThemAll();
    const expected = sessions.map((session, die) => ({
      session,
      faces: Array.from({ length: ROLLS }, (_, roll) => faceOf(die, roll)),
    }));
    for (const client of clients) {
      const stable = client.filter((event) => event.kind === 'Stable');
      expect(stable).to.have.lengthOf(DICE * ROLLS);
      const received = sessions.map((session) => ({
        session,
        faces: stable
          .filter((event) => event.session_id === session)
          .map((event) => 'face' in event && event.face),
      }));
      expect(received).to.deep.equal(expected);
      const numbers = client.map(({ seq }) => seq);
      expect(new Set(numbers).size).to.equal(numbers.length);
      expect(numbers).to.deep.equal([...numbers].sort((a, b) => a - b));
    }
  });

  it('leave no sessions, listeners, timers or memory behind after disconnecting', async () => {
    const { heap, counts } = await idle();
    const { processListeners, ...own } = counts;
    const { processListeners: before, ...warmOwn } = warm.counts;
    expect(own).to.deep.equal(warmOwn);
    // Other tests of this process may have removed listeners.
    expect(processListeners).to.be.at.most(before);
    expect(counts.radio).to.deep.equal({ links: 0, listeners: 0, advertisements: 0, peripherals: 0 });
    expect(heap - warm.heap).to.be.below(HEAP_SLACK + HEAP_KEPT);
  });

  /** Connects all dice, rolls each ten times, disconnects all; resolves with the events of each client. */
  const rollThemAll = async (): Promise<{ sessions: string[]; clients: DetailedDiceEvent[][] }> => {
    const scan = await post(server.port, '/api/scan?duration_secs=0.5', undefined);
    const devices = scan.body as readonly DiscoveredDevice[];
    expect(devices).to.have.lengthOf(DICE);
    const addresses = devices.map(({ address }) => address).sort();
    const sessions = await Promise.all(
      addresses.map(async (address) => {
        const { status, body } = await post(server.port, '/api/connect', { address });
        expect(status, JSON.stringify(body)).to.equal(200);
        return (body as { session_id: string }).session_id;
      }),
    );
    const listeners = await Promise.all(
      Array.from({ length: CLIENTS }, () => listenTo(server.port, '/ws?detail=full')),
    );
    const clients = listeners.map((listener) => clientOf(listener));
    for (let roll = 0; roll < ROLLS; roll++) {
      for (const [die, address] of addresses.entries()) {
        const { device } = right(simulated.world.find(address));
        right(device.act({ type: 'roll', die: 'd6', face: faceOf(die, roll), roll_ms: 20 }));
      }
      await Promise.all(clients.map((client) => client.stable(DICE * (roll + 1))));
    }
    await Promise.all(sessions.map((session_id) => post(server.port, '/api/disconnect', { session_id })));
    await Promise.all(clients.map((client) => client.disconnected(DICE)));
    for (const { socket } of listeners) socket.terminate();
    return { sessions, clients: clients.map(({ events }) => events) };
  };

  /** Heap and counts without connections and remembered devices. */
  const idle = async (): Promise<{ heap: number; counts: Counts }> => {
    while (radio.counts.peripherals > 0 || (await health()).listeners !== 0) await setTimeout(50);
    await setTimeout(0);
    const { heapUsed } = collected();
    const { sessions, listeners } = await health();
    return {
      heap: heapUsed,
      counts: {
        sessions,
        listeners,
        timers: process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length,
        processListeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
        radio: radio.counts,
      },
    };
  };

  const health = async (): Promise<{ sessions: unknown; listeners: unknown }> =>
    (await request(server.port, '/health')).body as { sessions: unknown; listeners: unknown };
});

/** Collects the events of a client until there are enough of a kind. */
const clientOf = (listener: Listener) => {
  const events: DetailedDiceEvent[] = [];
  const until = async (enough: () => boolean): Promise<void> => {
    while (!enough()) events.push((await listener.next()) as DetailedDiceEvent);
  };
  const count = (kind: string): number => events.filter((event) => event.kind === kind).length;
  return {
    events,
    stable: (least: number) => until(() => count('Stable') >= least),
    disconnected: (least: number) => until(() => count('Disconnected') >= least),
  };
};
