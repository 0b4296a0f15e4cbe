import * as E from 'fp-ts/lib/Either.js';
import { socketRoute, type SocketRoute } from '../../src/http/index.js';
import { events } from './contract.js';
import type { Population } from './population.js';

/** `GET /events`: every device as it is, then every change. What a client says is not heard. */
export const eventsSocket = (population: Population): SocketRoute =>
  socketRoute(events, () =>
    E.right(({ send }) => {
      population.messages().forEach(send);
      return { message: () => undefined, closed: population.listen(send) };
    }),
  );
