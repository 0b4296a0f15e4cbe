import * as E from 'fp-ts/lib/Either.js';
import type { SocketRoute } from '../../src/http/index.js';
import type { World } from './world.js';

/** `GET /events`: every device as it is, then every change. What a client says is not heard. */
export const eventsSocket = (world: World): SocketRoute => ({
  path: '/events',
  accept: () =>
    E.right(({ send }) => {
      world.messages().forEach(send);
      return { message: () => undefined, closed: world.listen(send) };
    }),
});
