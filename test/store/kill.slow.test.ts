import { readdirSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { seededRng } from '../../simulators/radio/index.js';
import { endPrograms, Program } from '../../simulators/testing/internal/program.js';
import { Listener } from '../../simulators/testing/internal/listener.js';
import type { DetailedDiceEvent, DieRecord, RollPage, Statistics } from '../../src/dice/contract.js';
import { portOf, request } from '../support/client.js';
import { right } from '../support/either.js';
import { newFolder } from '../support/folders.js';
import { openWorld, some } from '../support/world.js';

const KILLS = 20;
const DICE = 5;
const FACES = 6;
/** The longest time from a server's first roll to its end, ms: kills come before, during and after its first batches. */
const LONGEST_MS = 2_500;
/** The longest time from the beginning of a server to its end, ms: it opens its file meanwhile. */
const LONGEST_START_MS = 800;
/** The promise of docs/production.md: a roll waits a quarter of it for its batch, and the rest is for a busy machine. */
const LOST_MS = 1_000;
const PAGE = 10_000;

interface SentRoll {
  readonly session: string;
  readonly face: number;
  readonly at: number;
}

const labelOf = (index: number): string => `Die ${index + 1} 🎲`;

const bySession = (rolls: readonly SentRoll[]): ReadonlyMap<string, readonly SentRoll[]> => {
  const sessions = new Map<string, SentRoll[]>();
  for (const roll of rolls) sessions.set(roll.session, [...(sessions.get(roll.session) ?? []), roll]);
  return sessions;
};

const facesOf = (rolls: readonly SentRoll[] = []): readonly number[] => rolls.map(({ face }) => face);

describe('A dice server that is killed', () => {
  const random = seededRng(7);
  const folder = newFolder();
  let world: Awaited<ReturnType<typeof openWorld>>;
  let addresses: readonly string[];
  const sent: SentRoll[] = [];
  /** The time of the kill that ended each session. */
  const killedAt = new Map<string, number>();

  const start = async (): Promise<{ server: Program; port: number }> => {
    const server = Program.server('dice', `tcp:127.0.0.1:${world.port}`, ['--data-dir', folder]);
    return { server, port: portOf(await server.url('dice server')) };
  };

  const get = async <A>(port: number, path: string): Promise<A> => {
    const { status, body } = await request(port, path);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as A;
  };

  /** Resolves when all dice, which the server knows only from its file, are connected. */
  const connected = async (port: number): Promise<readonly DieRecord[]> => {
    for (;;) {
      const dice = await get<readonly DieRecord[]>(port, '/api/dice');
      if (dice.filter((die) => die.connected).length === DICE) return dice;
      await setTimeout(20);
    }
  };

  const roll = (address: string): void => {
    const { device } = right(world.world.find(address));
    const face = 1 + Math.floor(random() * FACES);
    right(device.act({ type: 'roll', die: 'd6', face, roll_ms: 10 }));
  };

  /** Lets all dice roll again and again until the server is killed. */
  const rollUntilKilled = async (): Promise<void> => {
    const { server, port } = await start();
    const dice = await connected(port);
    expect(dice.map(({ label }) => label)).to.have.members(addresses.map((_, index) => labelOf(index)));
    const addressOf = new Map(dice.map(({ session_id, address }) => [session_id, address]));
    const listener = new Listener(`http://127.0.0.1:${port}/ws?detail=full`, {
      exchanged: (_, text) => {
        const event = JSON.parse(text) as DetailedDiceEvent;
        if (event.kind !== 'Stable') return;
        sent.push({ session: event.session_id, face: event.face, at: Date.parse(event.time) });
        roll(addressOf.get(event.session_id) ?? '');
      },
    });
    await new Promise((resolve) => listener.socket.once('open', resolve));
    for (const address of addresses) roll(address);
    await setTimeout(random() * LONGEST_MS);
    const at = Date.now();
    await server.signal('SIGKILL');
    await listener.closed;
    for (const session of addressOf.keys()) killedAt.set(session ?? '', at);
  };

  const killAtStart = async (): Promise<void> => {
    const server = Program.server('dice', `tcp:127.0.0.1:${world.port}`, ['--data-dir', folder]);
    await setTimeout(random() * LONGEST_START_MS);
    await server.signal('SIGKILL');
  };

  const keptRolls = async (port: number): Promise<readonly SentRoll[]> => {
    const kept: SentRoll[] = [];
    for (let next: number | null = Number.MAX_SAFE_INTEGER; next !== null;) {
      const page: RollPage = await get(port, `/api/rolls?limit=${PAGE}&cursor=${next}`);
      kept.push(
        ...page.rolls.map(({ session_id, face, time }) => ({
          session: session_id,
          face,
          at: Date.parse(time),
        })),
      );
      ({ next } = page);
    }
    return kept.reverse();
  };

  before(async () => {
    world = await openWorld(some('dice', DICE), { pace: 'fast' });
    addresses = world.world.list().map(({ address }) => address);
    const { server, port } = await start();
    await request(port, '/api/scan?duration_secs=0.5', { method: 'POST' });
    for (const [index, address] of addresses.entries()) {
      const change = JSON.stringify({ label: labelOf(index), keep_connected: true });
      const { status } = await request(port, `/api/dice/${address}`, { method: 'PATCH', body: change });
      expect(status).to.equal(200);
    }
    await connected(port);
    await server.close();
  });

  after(async () => {
    await endPrograms();
    await world.close();
  });

  it(`${KILLS} times loses only the last second of rolls, and no name`, async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      await rollUntilKilled();
      await killAtStart();
    }
    const { server, port } = await start();
    const dice = await connected(port);
    const kept = await keptRolls(port);

    const keptOf = bySession(kept);
    const sessions = [...bySession(sent)];
    for (const [session, rolls] of sessions) {
      // In order, and none twice.
      expect(facesOf(keptOf.get(session))).to.deep.equal(
        facesOf(rolls).slice(0, keptOf.get(session)?.length ?? 0),
      );
    }
    const lost = sessions.flatMap(([session, rolls]) =>
      rolls.slice(keptOf.get(session)?.length ?? 0).map(({ at }) => (killedAt.get(session) ?? Infinity) - at),
    );
    console.log(
      `    ${KILLS} kills, ${sent.length} rolls sent, ${kept.length} kept, ${lost.length} lost, the oldest ${lost.reduce((most, ms) => Math.max(most, ms), 0)} ms before its kill`,
    );
    expect(lost.filter((ms) => ms > LOST_MS)).to.deep.equal([]);
    expect(kept.length + lost.length).to.equal(sent.length);

    expect(dice.reduce((all, { rolls }) => all + (rolls ?? 0), 0)).to.equal(kept.length);
    const statistics = await Promise.all(
      addresses.map((address) => get<Statistics>(port, `/api/dice/${address}/statistics`)),
    );
    expect(statistics.reduce((all, { rolls }) => all + rolls, 0)).to.equal(kept.length);
    expect(dice.map(({ label }) => label)).to.have.members(addresses.map((_, index) => labelOf(index)));
    await server.close();
    expect(readdirSync(folder).filter((name) => name.startsWith('dice'))).to.deep.equal(['dice.sqlite']);
  });
});
