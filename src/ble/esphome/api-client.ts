/** The connection to a proxy, made again whenever it ends. */
import { connect, type Socket } from 'node:net';
import type { Cancel, TimeSource } from '../../async/time.js';
import {
  API_VERSION,
  ApiConnection,
  DEFAULT_PORT,
  encryptedClient,
  Feature,
  plainFraming,
  type AnyMessage,
  type ConnectionEnd,
  type MessageTap,
} from '../../protocols/esphome/index.js';
import { version } from '../../system/package.js';
import type { Problem } from '../problem.js';

/** How long a proxy may take to answer, ms. */
export const ANSWER_MS = 10_000;

/** The first and the longest pause between attempts, ms; each is twice as long as the last. */
const FIRST_PAUSE_MS = 500;
export const LONGEST_PAUSE_MS = 30_000;

export interface ProxyAddress {
  /** The announced name; left out if a host was given. */
  readonly name?: string;
  readonly host: string;
  readonly port: number;
  /** Undefined: connections are not encrypted. */
  readonly key: Uint8Array | undefined;
}

export interface ApiClientOptions extends ProxyAddress {
  readonly time: TimeSource;
  /** Called when the proxy has identified itself; `features`: bits of `Feature`. */
  readonly up: (connection: ApiConnection, name: string, features: number) => void;
  readonly message: (message: AnyMessage) => void;
  /** Called when the connection has ended, and for every attempt that failed. */
  readonly down: (problem: Problem) => void;
  readonly tap?: MessageTap | undefined;
}

const NEEDED = Feature.activeConnections | Feature.rawAdvertisements;

/** `kitchen.local:6053`, or `kitchen (192.0.2.7:6053)` for an announced proxy. */
export const describeProxy = ({ name, host, port }: Omit<ProxyAddress, 'key'>): string => {
  const place = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  return name === undefined ? place : `${name} (${place})`;
};

const UNFIT: Problem = {
  what: 'it is not a Bluetooth proxy that makes connections',
  fix: 'configure `bluetooth_proxy: active: true` of ESPHome',
};

const explain = (end: ConnectionEnd): Problem => {
  switch (end._tag) {
    case 'WrongKey':
      return {
        what: 'the given key is not its encryption key',
        fix: 'give the key of its configuration by --proxy-key-file or AIRBENCH_PROXY_KEYS',
      };
    case 'KeyNeeded':
      return {
        what: 'it encrypts connections, and no key is given for it',
        fix: 'name one by --proxy-key-file or AIRBENCH_PROXY_KEYS',
      };
    case 'NotEncrypted':
      return {
        what: 'it does not encrypt connections, though a key is given for it',
        fix: 'leave the key out, or configure `api: encryption:`',
      };
    case 'BadFrame':
      return {
        what: `it does not speak the API of ESPHome (${end.reason})`,
        fix: `name the port of its API, usually ${DEFAULT_PORT}`,
      };
    case 'Excess':
      return {
        what: `it exceeds the bounds of Bluetooth (${end.reason})`,
        fix: 'update its firmware, or use another proxy',
      };
    case 'Silent':
      return { what: `it has been silent for ${end.ms / 1000} s` };
    case 'Ended':
      return { what: end.reason ?? 'it has closed the connection' };
  }
};

export class ApiClient {
  private connection: ApiConnection | undefined;
  private socket: Socket | undefined;
  private closed = false;
  private pause = FIRST_PAUSE_MS;
  private cancel: Cancel = () => undefined;

  constructor(private readonly options: ApiClientOptions) {}

  start(): void {
    const { host, port, key, time, up, message, down, tap } = this.options;
    let name = '';
    let isUp = false;
    let unfit: Problem | undefined;
    const socket = connect({ host, port, noDelay: true });
    this.socket = socket;
    this.cancel = time.after(ANSWER_MS, () =>
      socket.destroy(new Error(`it did not answer within ${ANSWER_MS / 1000} s`)),
    );
    this.connection = new ApiConnection({
      ...{ socket, time, tap },
      frame: (user) => (key === undefined ? plainFraming(user) : encryptedClient(user, key)),
      ready: (connection) => {
        connection.send('HelloRequest', { clientInfo: `airbench ${version}`, ...API_VERSION });
        connection.send('DeviceInfoRequest');
      },
      message: (received) => {
        if (received.name === 'HelloResponse') ({ name } = received.message);
        else if (received.name === 'DeviceInfoResponse') {
          if (isUp) {
            this.connection?.refuse('DeviceInfoResponse came twice');
            return;
          }
          const { bluetoothProxyFeatureFlags: features } = received.message;
          if ((features & NEEDED) !== NEEDED) {
            unfit = UNFIT;
            this.connection?.close();
            return;
          }
          isUp = true;
          this.cancel();
          this.pause = FIRST_PAUSE_MS;
          if (this.connection !== undefined) up(this.connection, name, features);
        } else if (isUp) message(received);
      },
      ended: (end) => {
        this.connection = undefined;
        this.cancel();
        if (this.closed) return;
        const problem = unfit ?? explain(end);
        // A person needs time for the fix.
        if (problem.fix !== undefined) this.pause = LONGEST_PAUSE_MS;
        this.cancel = time.after(this.pause, () => this.start());
        this.pause = Math.min(this.pause * 2, LONGEST_PAUSE_MS);
        down(problem);
      },
    });
  }

  /** Resolves when the connection is closed. */
  async close(): Promise<void> {
    this.closed = true;
    this.cancel();
    this.connection?.close();
    const { socket } = this;
    if (socket === undefined || socket.destroyed) return;
    await new Promise((resolve) => {
      socket.once('close', resolve);
      if (socket.connecting) socket.destroy();
    });
  }
}
