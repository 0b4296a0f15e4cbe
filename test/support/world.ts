/** Simulated devices on a radio in this process, and H4 over TCP for hosts. */
import { decodeSpecs, World } from '../../simulators/control/index.js';
import { Air, H4Server, type AirOptions } from '../../simulators/radio/index.js';
import { right } from './either.js';

export interface WorldOptions extends AirOptions {
  /** The limit of links of each adapter that a host opens. */
  readonly maxLinks?: number;
}

/** `devices`: as the control API takes them. */
export const openWorld = async (devices: readonly object[], { maxLinks, ...settings }: WorldOptions = {}) => {
  const air = new Air(settings);
  const h4 = new H4Server(air, maxLinks === undefined ? {} : { maxLinks });
  const world = new World(air, h4);
  await populate(world, devices);
  return {
    ...{ air, h4, world, port: await h4.listen({ host: '127.0.0.1', port: 0 }) },
    close: async () => {
      await world.close();
      await h4.close();
    },
  };
};

export const populate = async (world: World, devices: readonly object[]): Promise<void> => {
  right(await world.populate(right(decodeSpecs(devices)))());
};

export const some = (kind: string, count: number): readonly object[] => Array<object>(count).fill({ kind });
