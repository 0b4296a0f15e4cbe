import * as E from 'fp-ts/lib/Either.js';
import { socketRoute, type Connection, type SocketRoute } from '../../src/http/index.js';
import { events } from './contract.js';
import type { DeviceList } from './device-list.js';

/** `GET /events`: every device as it is, then every change. Messages of clients are ignored. */
export const eventsSocket = (devices: DeviceList): SocketRoute => {
  const connections = new Set<Connection>();
  let stop = (): void => undefined;

  const begin = (): void => {
    stop = devices.listen((news) => {
      const text = JSON.stringify(news);
      for (const { send } of connections) send(text);
    });
  };

  return socketRoute(events, () =>
    E.right((connection) => {
      for (const news of devices.snapshot()) connection.send(JSON.stringify(news));
      if (connections.size === 0) begin();
      connections.add(connection);
      return {
        message: () => undefined,
        closed: () => {
          connections.delete(connection);
          if (connections.size === 0) stop();
        },
      };
    }),
  );
};
