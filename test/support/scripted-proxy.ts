/** A proxy that introduces itself; all else is up to a test. */
import { createServer, type Socket } from 'node:net';
import type { TimeSource } from '../../src/async/time.js';
import { ApiConnection, Feature, plainServer, type AnyMessage } from '../../src/protocols/esphome/index.js';

const FEATURES = Feature.activeConnections | Feature.rawAdvertisements;

export interface ScriptedProxy {
  readonly port: number;
  readonly close: () => Promise<void>;
}

/** `receive` gets each message after the introduction; `features` are added to the usual ones. */
export const scriptedProxy = async (
  time: TimeSource,
  receive: (message: AnyMessage, connection: ApiConnection) => void,
  features = 0,
): Promise<ScriptedProxy> => {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    const connection: ApiConnection = new ApiConnection({
      ...{ socket, time, frame: plainServer, ready: () => undefined },
      message: (message) => {
        if (message.name === 'HelloRequest') connection.send('HelloResponse', { name: 'kitchen' });
        else if (message.name === 'DeviceInfoRequest')
          connection.send('DeviceInfoResponse', { bluetoothProxyFeatureFlags: FEATURES | features });
        else receive(message, connection);
      },
      ended: () => sockets.delete(socket),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound !== null ? bound.port : 0,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
};
