import corsOf from 'cors';
import type { RequestHandler } from 'express';

/** How long a browser may remember what it was told, seconds. */
const MAX_AGE_SECS = 600;

const headers = corsOf({
  origin: true,
  methods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  allowedHeaders: ['Authorization', 'Content-Type', 'X-Request-Id'],
  exposedHeaders: ['Allow', 'Retry-After', 'WWW-Authenticate', 'X-Request-Id'],
  maxAge: MAX_AGE_SECS,
});

/** The headers that let a page of another origin read the answer; for an origin that is known to be allowed. */
export const cors: RequestHandler = (request, response, next) => {
  const { origin, 'access-control-request-method': preflight } = request.headers;
  // To an OPTIONS without it, which is no preflight, the route itself answers.
  if (origin === undefined || (request.method === 'OPTIONS' && preflight === undefined)) next();
  else headers(request, response, next);
};
