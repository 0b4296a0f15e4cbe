/** A proxy that only introduces itself; a test does everything else. */
import { startTcp, type TcpServer } from '../../features/support/loopback.js';
import type { TimeSource } from '../../src/async/time.js';
import { ApiConnection, Feature, plainServer, type AnyMessage } from '../../src/protocols/esphome/index.js';

export const PROXY_FEATURES = Feature.activeConnections | Feature.rawAdvertisements;

/** `receive` gets each message; `features`: bits of `Feature` in the introduction. */
export const scriptedProxy = (
  time: TimeSource,
  receive: (message: AnyMessage, connection: ApiConnection) => void,
  features = PROXY_FEATURES,
): Promise<TcpServer> =>
  startTcp((socket) => {
    const connection: ApiConnection = new ApiConnection({
      ...{ socket, time, frame: plainServer, ready: () => undefined, ended: () => undefined },
      message: (message) => {
        if (message.name === 'HelloRequest') connection.send('HelloResponse', { name: 'kitchen' });
        else if (message.name === 'DeviceInfoRequest')
          connection.send('DeviceInfoResponse', { bluetoothProxyFeatureFlags: features });
        receive(message, connection);
      },
    });
  });
