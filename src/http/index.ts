/** What the servers share of HTTP and WebSocket; it knows no device. */
export type { Broadcast, Position, Receiver, Stamp } from './broadcast.js';
export { openBroadcast } from './broadcast.js';
export type { ErrorReply, ServerError } from './errors.js';
export { coreError, ErrorBody, errorReply, internalError, notConnected, shuttingDown } from './errors.js';
export { isLoopback } from './hosts.js';
export type { Health } from './health.js';
export { deviceSentence, fromDeviceError } from './device-errors.js';
export { adapterHealth, healthRoutes } from './health.js';
export { documentRoutes } from './documents.js';
export { logRoutes } from './log.js';
export { metricsRoutes } from './metrics.js';
export { authorize } from './guard.js';
export { bindRows, type Handlers } from './handlers.js';
export type { Connection, Message, Route, SocketListener, SocketRoute } from './route.js';
export { jsonMessage, routesOf, socketRoute } from './route.js';
export { DEFAULT_PROTECTION, type Protection } from './protection.js';
export type { HttpOptions, HttpServer, ListenError } from './server.js';
export { listen, listenError, listenSentence } from './server.js';
