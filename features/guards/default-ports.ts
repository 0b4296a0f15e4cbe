/**
 * Makes a test fail that listens on or connects to a default port, since airbench may run on this machine. Node.js loads
 * this file before tests, and by NODE_OPTIONS before the programs that tests start.
 */
import { Server, Socket } from 'node:net';

/** The ports of the servers of a rig, the control API, Bluetooth proxies and the virtual radio. */
const DEFAULT_PORTS = [3000, 3001, 3100, 6053, 6402];

const refuseDefaultPorts = (prototype: object, name: string): void => {
  const method = Reflect.get(prototype, name) as (...args: readonly unknown[]) => unknown;
  const apply = (_: unknown, self: unknown, args: readonly unknown[]): unknown => {
    // Node.js passes arguments on in an array.
    const [first] = args.flat();
    const port = typeof first === 'object' && first !== null && 'port' in first ? first.port : first;
    if (DEFAULT_PORTS.includes(Number(port)))
      throw new Error(`a test uses the default port ${String(port)}: take a free one`);
    return Reflect.apply(method, self, args);
  };
  Reflect.set(prototype, name, new Proxy(method, { apply }));
};

refuseDefaultPorts(Server.prototype, 'listen');
refuseDefaultPorts(Socket.prototype, 'connect');

const { NODE_OPTIONS = '' } = process.env;
const load = `--import=${import.meta.url}`;
if (!NODE_OPTIONS.includes(load)) process.env['NODE_OPTIONS'] = `${NODE_OPTIONS} ${load}`.trim();
