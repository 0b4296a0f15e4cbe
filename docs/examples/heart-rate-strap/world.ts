import {
  World,
  decodeSpecs,
  deviceMessage,
  listenError,
  listenMessage,
  serveControl,
  builtInKinds,
  type HttpServer,
} from 'airbench/control';
import { Air, H4Server, type AirOptions } from 'airbench/radio';
import * as E from 'fp-ts/lib/Either.js';
import { strap } from './strap.js';

const right = <F, A>(result: E.Either<F, A>, message: (failure: F) => string): A => {
  if (E.isLeft(result)) throw new Error(message(result.left));
  return result.right;
};

/**
 * A strap on the air: the ports where hosts (H4) and hands (HTTP) reach it, free ones unless given.
 * Rejects with a message, such as that of a port in use.
 */
export const startWorld = async (settings: AirOptions = { pace: 'fast' }, hciPort = 0, controlPort = 0) => {
  const host = '127.0.0.1';
  const air = new Air(settings);
  const hosts = new H4Server(air);
  const world = new World(air, hosts, { ...builtInKinds, strap });
  let control: HttpServer | undefined;
  const close = async (): Promise<void> => {
    await control?.close();
    await world.close();
    await hosts.close();
  };
  try {
    const specs = right(decodeSpecs([{ kind: 'strap', bpm: 72, energy_kj: 5 }], world.kinds), deviceMessage);
    right(await world.populate(specs)(), deviceMessage);
    control = right(await serveControl({ world, address: host, port: controlPort })(), listenMessage);
    const bound = await hosts.listen({ host, port: hciPort }).catch((thrown: unknown) => {
      throw new Error(listenMessage(listenError(host, hciPort, thrown)));
    });
    return { hciPort: bound, controlPort: control.port, close };
  } catch (error) {
    await close();
    throw error;
  }
};
