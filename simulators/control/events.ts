import * as E from 'fp-ts/lib/Either.js';
import { socketRoute, type SocketRoute } from '../../src/http/index.js';
import { events } from './contract.js';
import type { DeviceList } from './device-list.js';

/** `GET /events`: every device as it is, then every change. Messages of clients are ignored. */
export const eventsSocket = (devices: DeviceList): SocketRoute =>
  socketRoute(events, () =>
    E.right(({ send }) => ({ message: () => undefined, closed: devices.listen(send) })),
  );
