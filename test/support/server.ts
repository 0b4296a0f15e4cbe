import * as E from 'fp-ts/lib/Either.js';
import { listen, listenMessage, type HttpOptions, type HttpServer } from '../../src/http/index.js';
import { openMetrics } from '../../src/metrics/metrics.js';
import { silent } from './log.js';

/** A server on loopback, by default on a free port. */
export const listenOn = (
  options: Pick<HttpOptions, 'time'> & Partial<HttpOptions>,
): ReturnType<typeof listen> =>
  listen({
    address: '127.0.0.1',
    port: 0,
    routes: [],
    sockets: [],
    log: silent,
    metrics: openMetrics('test'),
    ...options,
  });

/** A server on loopback that must start. */
export const startServer = async (...options: Parameters<typeof listenOn>): Promise<HttpServer> => {
  const started = await listenOn(...options)();
  if (E.isLeft(started)) throw new Error(listenMessage(started.left));
  return started.right;
};
