/** Dice servers on one air and on one broker, each with an adapter of its own. */
import { World } from '../../simulators/control/index.js';
import type { Ownership } from '../../src/devices/ownership.js';
import { DEFAULT_LIMITS } from '../../src/dice/config.js';
import type { DeviceServer as DiceServer } from '../../src/server/device-server.js';
import { type Fleet, type FleetOptions } from '../../src/mqtt/index.js';
import { systemTime } from '../../src/async/time.js';
import { Fixture } from './bluetooth-fixture.js';
import { type Answer, post, request } from './client.js';
import { fleetOn } from './mqtt.js';
import { openDiceServer } from './servers.js';
import { populate } from './world.js';

export const DIE = 'D1:CE:00:00:00:01';

export interface StagedServer {
  readonly name: string;
  /** The id of its adapter. */
  readonly adapterId: string;
  readonly fleet: Fleet;
  readonly server: DiceServer;
  readonly connect: () => Promise<Answer>;
  readonly sessions: () => Promise<readonly { readonly session_id: string; readonly connected: boolean }[]>;
  readonly disconnect: (answer: Answer) => Promise<Answer>;
}

export interface FleetStage {
  readonly world: World;
  readonly servers: readonly StagedServer[];
  /** Links of all servers to dice. */
  readonly links: () => number;
  readonly close: () => Promise<void>;
}

interface StageOptions extends Partial<FleetOptions> {
  /** The obstacle between a server and its ownership. */
  readonly owning?: (ownership: Ownership) => Ownership;
}

export const openFleetStage = async (
  port: number,
  names: readonly string[],
  { owning = (ownership: Ownership) => ownership, ...options }: StageOptions = {},
  /** Ports by which some of them reach the broker. */
  ports: Readonly<Record<string, number>> = {},
): Promise<FleetStage> => {
  const fixture = await Fixture.open({ seed: 1, pace: 'fast' });
  const world = new World(fixture.air, fixture.server);
  await populate(world, [{ kind: 'dice' }]);
  const servers: StagedServer[] = [];
  for (const name of names) {
    const { fleet: joined, metrics } = fleetOn(ports[name] ?? port, 'dice', { name, ...options });
    const fleet: Fleet = Object.assign(joined, { ownership: owning(joined.ownership) });
    const radio = await fixture.radio({ time: systemTime });
    const adapterId = world.adapters.list().at(-1)?.id ?? '';
    const server = await openDiceServer({
      ...{ radio, fleet, metrics },
      config: { limits: { ...DEFAULT_LIMITS, scan: 2_000 } },
    });
    servers.push({
      ...{ name, adapterId, fleet, server },
      connect: () => post(server.port, '/api/connect', { address: DIE }),
      disconnect: ({ body }) => post(server.port, '/api/disconnect', body),
      sessions: async () =>
        (await request(server.port, '/api/sessions')).body as Awaited<ReturnType<StagedServer['sessions']>>,
    });
  }
  return {
    world,
    servers,
    links: () => world.adapters.list().reduce((sum, { links }) => sum + links, 0),
    close: async () => {
      await Promise.all(servers.map(({ server }) => server.close()));
      await Promise.all(servers.map(({ fleet }) => fleet.close()));
      await world.close();
      await fixture.close();
    },
  };
};

/** The servers of a stage with two. */
export const bothOf = ({ servers: [one, two] }: FleetStage): [StagedServer, StagedServer] => {
  if (one === undefined || two === undefined) throw new Error('there are no two servers');
  return [one, two];
};
