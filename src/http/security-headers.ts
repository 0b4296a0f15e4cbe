import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';

/**
 * The usual headers of defence. Left out are those that do harm, or are not understood, on plain HTTP in a local network
 * (HSTS, COOP, Origin-Agent-Cluster). An answer is no page and may load nothing; a page has a policy of its own.
 */
const defence = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPoweredBy: false,
});

/** They are the same in all answers. */
const HEADERS = (() => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  defence(request, response, () => undefined);
  return response.getHeaderNames().map((name) => [name, String(response.getHeader(name))] as const);
})();

export const setSecurityHeaders = (response: ServerResponse): void => {
  for (const [name, value] of HEADERS) response.setHeader(name, value);
};
