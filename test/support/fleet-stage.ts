/** Dice servers on one air and on one broker, each with its own adapter. */
import { World } from '../../simulators/control/index.js';
import { DEFAULT_LIMITS } from '../../src/dice/config.js';
import type { FleetOptions } from '../../src/mqtt/index.js';
import { systemTime } from '../../src/async/time.js';
import { Fixture, LONG_LIMITS } from './bluetooth-fixture.js';
import { post } from './client.js';
import type { Keep } from './keep.js';
import { Consumer, fleetOn } from './mqtt.js';
import { openDiceServer } from './servers.js';
import { populate } from './world.js';

export const DIE = 'D1:CE:00:00:00:01';

/** A server on its own adapter, and requests to it. */
const openServer = async (fixture: Fixture, world: World, port: number, options: Partial<FleetOptions>) => {
  const { name = '' } = options;
  const { fleet, metrics } = fleetOn(port, 'dice', { ...options, name });
  const radio = await fixture.radio({ limits: LONG_LIMITS, time: systemTime });
  const adapterId = world.adapters.list().at(-1)?.id ?? '';
  const config = { limits: { ...DEFAULT_LIMITS, scan: 2_000, reconnect: 5_000 } };
  const server = await openDiceServer({ radio, fleet, metrics, config });
  return {
    ...{ adapterId, fleet, server },
    connect: () => post(server.port, '/api/connect', { address: DIE }),
  };
};
type StagedServer = Awaited<ReturnType<typeof openServer>>;

export const openFleetStage = async (
  port: number,
  names: readonly string[],
  options: Partial<FleetOptions> = {},
  /** The ports by which some servers reach the broker. */
  ports: Readonly<Record<string, number>> = {},
) => {
  const fixture = await Fixture.open({ seed: 1, pace: 'fast' });
  const world = new World(fixture.air, fixture.server);
  await populate(world, [{ kind: 'dice' }]);
  const servers: StagedServer[] = [];
  for (const name of names)
    servers.push(await openServer(fixture, world, ports[name] ?? port, { ...options, name }));
  return {
    world,
    servers,
    close: async () => {
      await Promise.all(servers.map(({ server }) => server.close()));
      await Promise.all(servers.map(({ fleet }) => fleet.close()));
      await world.close();
      await fixture.close();
    },
  };
};

/** A stage with two servers that are both online, and a client that receives their messages; `gate`: the port by which the first reaches the broker. */
export const openPair = async (
  keep: Keep,
  port: number,
  options: Partial<FleetOptions> = {},
  gate = port,
) => {
  const consumer = keep(await Consumer.of(port));
  const stage = keep(await openFleetStage(port, ['one', 'two'], options, { one: gate }));
  const [one, two] = stage.servers;
  if (one === undefined || two === undefined) throw new Error('the stage has fewer than two servers');
  await consumer.each(['airbench/dice/servers/one'], ['airbench/dice/servers/two']);
  return { ...stage, consumer, one, two };
};
