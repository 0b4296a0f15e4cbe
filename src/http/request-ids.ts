/** The id of a request in its answer and in the log: the client's own, if it is short and plain, else a new one. */
import type { IncomingMessage } from 'node:http';

export const REQUEST_ID = 'X-Request-Id';

const ACCEPTED = /^[A-Za-z0-9._:-]{1,128}$/;

export type RequestIds = (request: IncomingMessage) => string;

/** Gives each request one id, however often it is asked. */
export const requestIds = (newId: () => string): RequestIds => {
  const ids = new WeakMap<IncomingMessage, string>();
  return (request) => {
    const known = ids.get(request);
    if (known !== undefined) return known;
    const given = request.headers['x-request-id'];
    const id = typeof given === 'string' && ACCEPTED.test(given) ? given : newId();
    ids.set(request, id);
    return id;
  };
};
