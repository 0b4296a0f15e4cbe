/** All that a server counts and measures, in a registry of its own. */
import type { Task } from 'fp-ts/lib/Task.js';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { version } from '../system/package.js';

/** Seconds: from what the server knows itself to what a device takes that is out of range. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The name of a command that cannot be read, or that there is not. */
export const NO_COMMAND = 'unreadable';

/** No label may have values that clients choose: each would be kept for ever. */
const instruments = (registry: Registry) => {
  const registers = [registry];
  return {
    buildInfo: new Gauge({
      name: 'airbench_build_info',
      help: 'What runs, always 1',
      labelNames: ['version', 'node', 'server'],
      registers,
    }),
    connections: new Gauge({
      name: 'airbench_http_connections',
      help: 'TCP connections that are open, those of WebSockets included',
      registers,
    }),
    requests: new Counter({
      name: 'airbench_http_requests_total',
      help: 'Requests answered, upgrades to WebSockets included; status aborted: the client had gone',
      labelNames: ['operation', 'method', 'status'],
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'airbench_http_request_duration_seconds',
      help: 'From the head of a request to the end of its answer',
      labelNames: ['operation', 'method'],
      buckets: BUCKETS,
      registers,
    }),
    requestErrors: new Counter({
      name: 'airbench_http_errors_total',
      help: 'Requests that failed, by error code',
      labelNames: ['operation', 'code'],
      registers,
    }),
    sockets: new Gauge({
      name: 'airbench_websockets',
      help: 'WebSockets that are open',
      labelNames: ['path'],
      registers,
    }),
    socketsOpened: new Counter({
      name: 'airbench_websockets_opened_total',
      help: 'WebSockets opened',
      labelNames: ['path'],
      registers,
    }),
    socketsClosed: new Counter({
      name: 'airbench_websockets_closed_total',
      help: 'WebSockets closed: by the client, or for what cause by the server',
      labelNames: ['path', 'cause'],
      registers,
    }),
    messagesReceived: new Counter({
      name: 'airbench_websocket_messages_received_total',
      help: 'Messages that clients sent',
      labelNames: ['path'],
      registers,
    }),
    messagesSent: new Counter({
      name: 'airbench_websocket_messages_sent_total',
      help: 'Messages sent to clients',
      labelNames: ['path'],
      registers,
    }),
    unsentBytes: new Gauge({
      name: 'airbench_websocket_unsent_bytes',
      help: 'What waits for clients to read it, of all WebSockets',
      registers,
    }),
    commands: new Counter({
      name: 'airbench_commands_total',
      help: 'Commands answered over REST, WebSockets and MQTT: ok, or the error code',
      labelNames: ['command', 'result'],
      registers,
    }),
    commandSeconds: new Histogram({
      name: 'airbench_command_duration_seconds',
      help: 'From a command to its answer',
      labelNames: ['command'],
      buckets: BUCKETS,
      registers,
    }),
    commandsPending: new Gauge({
      name: 'airbench_commands_pending',
      help: 'Commands that are under way or wait their turn',
      registers,
    }),
    events: new Counter({
      name: 'airbench_events_total',
      help: 'Events of devices, whether or not anybody listened',
      labelNames: ['kind'],
      registers,
    }),
    sessions: new Gauge({
      name: 'airbench_sessions',
      help: 'Devices that the server keeps connected, and those among them that are lost',
      labelNames: ['state'],
      registers,
    }),
    reconnects: new Counter({
      name: 'airbench_reconnects_total',
      help: 'Devices that were lost or let go, and are connected again',
      registers,
    }),
    mqttConnected: new Gauge({
      name: 'airbench_mqtt_connected',
      help: '1 while there is a connection to the MQTT broker, else 0',
      registers,
    }),
    mqttDropped: new Counter({
      name: 'airbench_mqtt_dropped_total',
      help: 'Messages that no MQTT broker took: there was no connection, or it did not take them in time',
      registers,
    }),
    adapterState: new Gauge({
      name: 'airbench_radio_adapter_state',
      help: '1 for the state that the Bluetooth adapter is in, 0 for the others',
      labelNames: ['state'],
      registers,
    }),
    operations: new Counter({
      name: 'airbench_radio_operations_total',
      help: 'What was done by radio: ok, or how it failed',
      labelNames: ['operation', 'result'],
      registers,
    }),
    operationSeconds: new Histogram({
      name: 'airbench_radio_operation_duration_seconds',
      help: 'What is done by radio, waiting for its turn included',
      labelNames: ['operation'],
      buckets: BUCKETS,
      registers,
    }),
    operationsPending: new Gauge({
      name: 'airbench_radio_operations_pending',
      help: 'What is being done by radio, or waits its turn',
      labelNames: ['operation'],
      registers,
    }),
    links: new Gauge({ name: 'airbench_radio_links', help: 'Connections to devices', registers }),
    linksEnded: new Counter({
      name: 'airbench_radio_links_ended_total',
      help: 'Connections to devices that ended; closed: by the server itself',
      labelNames: ['cause'],
      registers,
    }),
    scanning: new Gauge({
      name: 'airbench_radio_scanning',
      help: '1 while anything listens to advertisements, else 0',
      registers,
    }),
    scans: new Counter({
      name: 'airbench_radio_scans_total',
      help: 'How often the server began to listen to advertisements',
      registers,
    }),
    advertisements: new Counter({
      name: 'airbench_radio_advertisements_total',
      help: 'Advertisements received while the server listened',
      registers,
    }),
  };
};

export interface Metrics extends ReturnType<typeof instruments> {
  readonly registry: Registry;
  /** Has `look` called before the figures are read, to set those that are looked up. */
  readonly beforeRead: (look: () => void) => void;
  /** The figures in the text format of Prometheus. */
  readonly text: Task<string>;
}

/** `server`: its name, such as `dice`. */
export const openMetrics = (server: string): Metrics => {
  const registry = new Registry();
  const looks: (() => void)[] = [];
  const metrics: Metrics = {
    ...instruments(registry),
    registry,
    beforeRead: (look) => void looks.push(look),
    text: () => {
      for (const look of looks) look();
      return registry.metrics();
    },
  };
  metrics.buildInfo.set({ version, node: process.version, server }, 1);
  return metrics;
};
