import { World, decodeSpecs, serveControl, usualKinds } from 'airbench/control';
import { Air, H4Server, type AirOptions } from 'airbench/radio';
import * as E from 'fp-ts/lib/Either.js';
import { strap } from './strap.js';

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) throw new Error(JSON.stringify(result.left));
  return result.right;
};

/** A strap on the air: the ports where hosts (H4) and hands (HTTP) reach it, free ones unless given. */
export const startWorld = async (settings: AirOptions = { pace: 'fast' }, hciPort = 0, controlPort = 0) => {
  const air = new Air(settings);
  const hosts = new H4Server(air);
  const world = new World(air, hosts, { ...usualKinds, strap });
  right(await world.populate(right(decodeSpecs([{ kind: 'strap', bpm: 72, energy_kj: 5 }], world.kinds)))());
  const control = right(await serveControl({ world, address: '127.0.0.1', port: controlPort })());
  return {
    hciPort: await hosts.listen({ host: '127.0.0.1', port: hciPort }),
    controlPort: control.port,
    close: async (): Promise<void> => {
      await control.close();
      await world.close();
      await hosts.close();
    },
  };
};
