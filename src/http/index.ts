/** The common part of the servers for HTTP and WebSocket; it knows no device. */
export { isLoopback, networkUrl } from './hosts.js';
export type { Health } from './health.js';
export { adapterHealth, healthRoutes } from './health.js';
export { documentRoutes } from './documents.js';
export { logRoutes } from './log.js';
export { radioRoutes } from './radios.js';
export { metricsRoutes } from './metrics.js';
export { routesOf, socketRoute } from './route.js';
export type { Connection, Route, SocketListener, SocketRoute } from './route.js';
export { pageRoutes } from './page.js';
export { DEFAULT_PROTECTION, type Protection } from './protection.js';
export type { HttpOptions, HttpServer, ListenError } from './server.js';
export { listen, listenError, listenMessage } from './server.js';
