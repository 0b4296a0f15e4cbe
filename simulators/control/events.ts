import * as E from 'fp-ts/lib/Either.js';
import type { SocketRoute } from '../../src/http/index.js';
import type { Population } from './population.js';

/** `GET /events`: every device as it is, then every change. What a client says is not heard. */
export const eventsSocket = (world: Population): SocketRoute => ({
  path: '/events',
  accept: () =>
    E.right(({ send }) => {
      world.messages().forEach(send);
      return { message: () => undefined, closed: world.listen(send) };
    }),
});
