import * as E from 'fp-ts/lib/Either.js';
import { identity } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import { oneOf } from '../../src/codecs/index.js';
import { socket, type Endpoint, type OperationTypes } from '../../src/contract/index.js';
import {
  routesOf,
  socketRoute,
  type Connection,
  type Route,
  type SocketListener,
  type SocketRoute,
} from '../../src/http/index.js';
import type { RequestContext, ServerError } from '../../src/operations/index.js';

/** The route of one endpoint. */
export const routeOf = <Input, Output>(
  endpoint: Endpoint<Input, Output>,
  handler: (input: Input, context: RequestContext) => TE.TaskEither<ServerError, Output>,
): Route[] => [
  ...routesOf<{ readonly it: OperationTypes<Input, Output> }, ServerError>(
    { it: endpoint },
    { it: handler },
    identity,
  ),
];

/** A WebSocket at `/ws`. */
export const socketOf = (open: (connection: Connection) => SocketListener): SocketRoute =>
  socketRoute(
    socket({
      path: '/ws',
      summary: '',
      query: { detail: oneOf(['full']) },
      events: [],
    }),
    () => E.right(open),
  );
