/** Ports, certificates and brokers on loopback. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Aedes } from 'aedes';
import { Program } from '../../simulators/testing/internal/program.js';

export const LOOPBACK = '127.0.0.1';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Different free ports of loopback. */
export const freePorts = async (count: number): Promise<readonly number[]> => {
  const servers = await Promise.all(Array.from({ length: count }, () => startTcp(() => undefined)));
  await Promise.all(servers.map((server) => server.close()));
  return servers.map(({ port }) => port);
};

export const freePort = async (): Promise<number> => (await freePorts(1))[0] ?? 0;

/** A server on loopback whose user handles each connection. */
export interface TcpServer {
  readonly port: number;
  readonly sockets: ReadonlySet<Socket>;
  readonly close: () => Promise<void>;
}

export const startTcp = async (serve: (socket: Socket) => void, port = 0): Promise<TcpServer> => {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => sockets.delete(socket));
    serve(socket);
  }).listen(port, LOOPBACK);
  await once(server, 'listening');
  return {
    ...{ port: portOf(server), sockets },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
};

/** A broker in this process, for MQTT 3.1.1 alone. */
export interface EmbeddedBroker extends TcpServer {
  readonly aedes: Aedes;
}

export const startAedes = async (port = 0): Promise<EmbeddedBroker> => {
  const { Aedes } = await import('aedes');
  const aedes = await Aedes.createBroker();
  const server = await startTcp((socket) => void aedes.handle(socket), port);
  return {
    ...{ ...server, aedes },
    close: async () => {
      await new Promise<void>((resolve) => aedes.close(resolve));
      await server.close();
    },
  };
};

interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Makes a certificate by openssl: self-signed, unless the arguments `more` name a signer. */
export const makeCertificate = (folder: string, name: string, more: readonly string[]): Certificate => {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)];
  execFileSync(
    'openssl',
    [
      ...'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2'.split(' '),
      ...['-subj', `/CN=${name}`, '-keyout', key, '-out', cert, ...more],
    ],
    { stdio: 'pipe' },
  );
  return { cert, key };
};

/** Mosquitto, for MQTT 5. */
export class Mosquitto {
  private program: Program | undefined;

  private constructor(
    private readonly folder: string,
    private lines: readonly string[],
    readonly port: number,
  ) {}

  /** Starts Mosquitto with these lines in its configuration file, which is in `folder`. */
  static async start(folder: string, lines: readonly string[]): Promise<Mosquitto> {
    const broker = new Mosquitto(folder, lines, await freePort());
    await broker.start();
    return broker;
  }

  /** Starts the broker again, on the same port. */
  async start(lines = this.lines): Promise<void> {
    this.lines = lines;
    const config = join(this.folder, 'mosquitto.conf');
    const common = [`listener ${this.port} ${LOOPBACK}`, 'log_dest stderr', `user ${userInfo().username}`];
    writeFileSync(config, [...common, ...lines, ''].join('\n'));
    this.program = Program.of(spawn('mosquitto', ['-c', config], { stdio: ['ignore', 'pipe', 'pipe'] }));
    await this.program.logs([' running']);
  }

  async stop(): Promise<void> {
    await this.program?.signal('SIGTERM');
  }

  /** Ends the broker like a power failure. */
  async kill(): Promise<void> {
    await this.program?.signal('SIGKILL');
  }
}
