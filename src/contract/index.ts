/** The operations of clients and their errors, as values. Pure: no express, no node. */
export { BY_ACCESS, type Access, type Scope } from './access.js';
export {
  answeredId,
  command,
  namesOf,
  readRequest,
  requestOf,
  responseOf,
  type AnyCommand,
  type Command,
} from './command.js';
export { documentEndpoints, PAGE_HEADERS, type Contract } from './contract.js';
export {
  endpoint,
  type AnyEndpoint,
  type BodyIs,
  type Endpoint,
  type Endpoints,
  type RawRequest,
} from './endpoint.js';
export { ErrorBody, errorFields } from './error-body.js';
export { detailed, missed, resuming, stamp } from './event.js';
export * from './failures.js';
export {
  Asked,
  Availability,
  Claim,
  FleetFailure,
  Heard,
  OwnedDevices,
  payloadOf,
  publishedOf,
  resultOf,
  ServerState,
  ServerStatus,
  Signal,
  Taken,
  type FleetContract,
} from './fleet.js';
export {
  keysOf,
  mediaType,
  type Operation,
  type OperationTable,
  type OperationTypes,
  type TypeTable,
  type TypesOf,
} from './operation.js';
export { healthEndpoints, MQTT_STATES } from './health.js';
export { factsOf, KINDS, perKind, type Kind } from './kinds.js';
export { logEndpoints } from './log.js';
export { radioEndpoints } from './radios.js';
export { Pages, type PageAddress } from './pages.js';
export { metricsEndpoints } from './metrics.js';
export { socket, type Socket } from './socket.js';
export { subjects, type Subject } from './subjects.js';
