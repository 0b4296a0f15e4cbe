import helmet from 'helmet';

/**
 * The usual headers of defence. Left out are those that do harm, or are not understood, on plain HTTP in a local network
 * (HSTS, COOP, Origin-Agent-Cluster). An answer is no page and may load nothing; a page has a policy of its own.
 */
export const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  strictTransportSecurity: false,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  xPoweredBy: false,
});
