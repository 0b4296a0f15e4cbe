import { connect, createServer, type Server } from 'node:net';
import { lstatSync, rmSync } from 'node:fs';
import type { Duplex } from 'node:stream';
import { h4Reader } from '../../../src/ble/hci/h4.js';
import { nthAddress } from '../../ble/device-address.js';
import type { Air } from '../air/air.js';
import type { Controller } from '../controller/controller.js';

/** A host that leaves this many bytes unread is disconnected. */
const MAX_UNREAD = 16 * 1024 * 1024;

const hciName = (index: number): string => `hci${index}`;

/** Addresses of adapters are locally administered. */
const adapterAddress = (index: number): string => nthAddress('02:A1:B0', index + 1);

/** Whether a path is a socket without a server. */
const isAbandoned = (path: string): Promise<boolean> =>
  new Promise((resolve) => {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSocket() !== true) {
      resolve(false);
      return;
    }
    const probe = connect({ path });
    probe.on('connect', () => {
      probe.destroy();
      resolve(false);
    });
    probe.on('error', () => resolve(true));
  });

/** A host's controller, as the control API names it. */
export interface Adapter {
  readonly id: string;
  readonly address: string;
  readonly powered: boolean;
  readonly links: number;
  /** The addresses of connected devices. */
  readonly devices: readonly string[];
}

/** Options of a host's controller. */
export interface AttachOptions {
  /** The first free one if left out. */
  readonly address?: string;
  /** Its id; the first free one of `hci0`, `hci1` … if left out. */
  readonly name?: string;
  readonly maxLinks?: number;
}

interface Attached {
  readonly controller: Controller;
  readonly stream: Duplex;
}

/** Ends a host's stream; resolves when it has ended. */
const end = ({ stream }: Attached): Promise<void> =>
  new Promise((resolve) => {
    stream.once('close', resolve);
    stream.destroy();
  });

/** The hosts of an air that speak H4 on a stream: each has a controller with the first free address. */
export class H4Server {
  /** Keys are ids. */
  private readonly adapters = new Map<string, Attached>();
  private readonly servers: Server[] = [];

  constructor(
    private readonly air: Air,
    private readonly options: { readonly maxLinks?: number } = {},
  ) {}

  /** Listens on a TCP port (0: a free one) of `host`, or on a Unix socket's path. Resolves with the port, 0 for a path. */
  listen(at: { host: string; port: number } | { path: string }): Promise<number> {
    const server = createServer({ noDelay: true }, (stream) => void this.attach(stream));
    this.servers.push(server);
    const bind = (): Promise<number> =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(at, () => {
          const bound = server.address();
          resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
        });
      });
    return bind().catch(async (error: unknown) => {
      if (!('path' in at) || !(await isAbandoned(at.path))) throw error;
      rmSync(at.path);
      return bind();
    });
  }

  list(): readonly Adapter[] {
    return [...this.adapters].map(([id, { controller }]) => ({
      id,
      address: controller.address,
      powered: controller.powered,
      links: controller.links.size,
      devices: controller.links.peers().map(({ address }) => address),
    }));
  }

  /** False if no adapter has that id. */
  power(id: string, on: boolean): boolean {
    const adapter = this.adapters.get(id);
    adapter?.controller.power(on);
    return adapter !== undefined;
  }

  /** Takes an adapter from its host, whose stream ends. Resolves when it is gone; false if no adapter has that id. */
  async unplug(id: string): Promise<boolean> {
    const adapter = this.adapters.get(id);
    if (adapter !== undefined) await end(adapter);
    return adapter !== undefined;
  }

  async close(): Promise<void> {
    await Promise.all([
      ...[...this.adapters.values()].map(end),
      ...this.servers.map((server) => new Promise((resolve) => server.close(resolve))),
    ]);
  }

  /** Gives a host a controller, until its stream ends; each write to the stream is one packet. Returns the controller's address. */
  attach(stream: Duplex, options: AttachOptions = {}): string {
    const index = this.freeIndex();
    const { name: id = hciName(index), address = adapterAddress(index) } = options;
    const controller = this.air.add(
      { ...this.options, ...options, address, name: id, isRemote: true },
      {
        receive: (packet) => {
          // One system call for all packets of this turn of the event loop.
          stream.cork();
          stream.write(packet);
          process.nextTick(() => stream.uncork());
          if (stream.writableLength > MAX_UNREAD) stream.destroy();
        },
        power: () => undefined,
      },
    );
    this.adapters.set(id, { controller, stream });
    stream.on(
      'data',
      h4Reader(
        (packet) => controller.receive(packet),
        () => stream.destroy(),
      ),
    );
    stream.on('error', () => stream.destroy());
    stream.on('close', () => {
      this.adapters.delete(id);
      this.air.remove(controller);
    });
    return controller.address;
  }

  private freeIndex(): number {
    let index = 0;
    while (this.adapters.has(hciName(index))) index += 1;
    return index;
  }
}
