/** The counters and measurements of a server, in a registry for that server alone. */
import type { Task } from 'fp-ts/lib/Task.js';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../system/package.js';

/** Seconds: from an answer without a device to the limit of a device out of range. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The label of an unreadable or unknown command. */
export const NO_COMMAND = 'unreadable';

/** The prefix of all names. */
const PREFIX = 'airbench_';

/** Labels must not have values that clients choose, since the registry keeps every value. */
const instruments = (registry: Registry) => {
  const registers = [registry];
  const gauge = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: PREFIX + name, help, labelNames, registers });
  const counter = <L extends string = never>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name: PREFIX + name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Histogram<L>({ name: PREFIX + name, help, labelNames, buckets: BUCKETS, registers });
  return {
    buildInfo: gauge('build_info', 'Version of the server, always 1', ['version', 'node', 'server']),
    connections: gauge('http_connections', 'TCP connections that are open, those of WebSockets included'),
    requests: counter(
      'http_requests_total',
      'Requests answered, upgrades to WebSockets included; status aborted: the client had gone',
      ['operation', 'method', 'status'],
    ),
    requestSeconds: histogram(
      'http_request_duration_seconds',
      'Duration of requests, from the head to the end of the answer',
      ['operation', 'method'],
    ),
    requestErrors: counter('http_errors_total', 'Requests that failed, by error code', ['operation', 'code']),
    sockets: gauge('websockets', 'WebSockets that are open', ['path']),
    socketsOpened: counter('websockets_opened_total', 'WebSockets opened', ['path']),
    socketsClosed: counter('websockets_closed_total', 'WebSockets closed, by cause', ['path', 'cause']),
    messagesReceived: counter('websocket_messages_received_total', 'Messages that clients sent', ['path']),
    messagesSent: counter('websocket_messages_sent_total', 'Messages sent to clients', ['path']),
    unsentBytes: gauge('websocket_unsent_bytes', 'Bytes that wait to be sent, of all WebSockets'),
    commands: counter(
      'commands_total',
      'Commands answered over REST, WebSockets and MQTT: ok, or the error code',
      ['command', 'result'],
    ),
    commandSeconds: histogram('command_duration_seconds', 'Duration of commands', ['command']),
    commandsPending: gauge('commands_pending', 'Commands that are under way or wait their turn'),
    events: counter('events_total', 'Events of devices, with or without listeners', ['kind']),
    sessions: gauge(
      'sessions',
      'Devices that the server keeps connected, and those among them that are lost',
      ['state'],
    ),
    reconnects: counter('reconnects_total', 'Devices connected again after a loss or idleness'),
    mqttConnected: gauge('mqtt_connected', '1 while there is a connection to the MQTT broker, else 0'),
    mqttDropped: counter(
      'mqtt_dropped_total',
      'Messages dropped: no MQTT broker was connected, or it did not take them in time',
    ),
    storeWaiting: gauge('store_waiting_seconds', 'Age of the oldest row that waits for the disk, or 0'),
    adapterState: gauge(
      'radio_adapter_state',
      '1 for the state that the Bluetooth adapter is in, 0 for the others',
      ['state'],
    ),
    radioUp: gauge('radio_up', '1 for each radio of the server that can be used now, else 0', ['radio']),
    operations: counter('radio_operations_total', 'Radio operations: ok, or the error', [
      'operation',
      'result',
    ]),
    operationSeconds: histogram(
      'radio_operation_duration_seconds',
      'Duration of radio operations, waiting included',
      ['operation'],
    ),
    operationsPending: gauge('radio_operations_pending', 'Radio operations that run or wait', ['operation']),
    links: gauge('radio_links', 'Connections to devices'),
    linksEnded: counter(
      'radio_links_ended_total',
      'Connections to devices that ended; closed: by the server itself',
      ['cause'],
    ),
    scanning: gauge('radio_scanning', '1 while the server listens to advertisements, else 0'),
    scans: counter('radio_scans_total', 'Times that the server began to listen to advertisements'),
    advertisements: counter(
      'radio_advertisements_total',
      'Advertisements received while the server listened',
    ),
  };
};

export interface Metrics extends ReturnType<typeof instruments> {
  readonly registry: Registry;
  /** Adds a function that sets gauges before each reading of the figures. */
  readonly beforeRead: (update: () => void) => void;
  /** The figures in the text format of Prometheus. */
  readonly text: Task<string>;
}

/** `server`: its name, such as `dice`. */
export const openMetrics = (server: string): Metrics => {
  const registry = new Registry();
  const updates: (() => void)[] = [];
  const metrics: Metrics = {
    ...instruments(registry),
    registry,
    beforeRead: (update) => void updates.push(update),
    text: () => {
      for (const update of updates) update();
      return registry.metrics();
    },
  };
  metrics.buildInfo.set({ version, node: process.version, server }, 1);
  return metrics;
};
