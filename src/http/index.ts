/** The common part of the servers for HTTP and WebSocket; it knows no device. */
export {
  aboutRoutes,
  adapterHealth,
  documentRoutes,
  healthRoutes,
  logRoutes,
  metricsRoutes,
  radioRoutes,
  type Health,
} from './common-routes.js';
export { isLoopback, networkUrl } from './hosts.js';
export { pageRoutes } from './page.js';
export { DEFAULT_PROTECTION, type Protection } from './protection.js';
export {
  routesOf,
  socketRoute,
  type Connection,
  type Route,
  type SocketListener,
  type SocketRoute,
} from './route.js';
export {
  listen,
  listenError,
  listenMessage,
  type HttpOptions,
  type HttpServer,
  type ListenError,
} from './server.js';
