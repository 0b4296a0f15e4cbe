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
export const SECURITY_HEADERS: Readonly<Record<string, string>> = (() => {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  defence(request, response, () => undefined);
  return Object.fromEntries(
    Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]),
  );
})();
