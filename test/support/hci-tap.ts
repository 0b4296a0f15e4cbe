/** An H4 server that records, replaces and adds packets between hosts and controllers. */
import type { Socket } from 'node:net';
import { startTcp, type TcpServer } from '../../features/support/loopback.js';
import { h4Reader } from '../../src/ble/hci/h4.js';
import type { Air } from '../../simulators/radio/index.js';
import { HciHost } from './hci-host.js';

export class HciTap {
  /** The packets of the host, as `next` takes them. */
  readonly fromHost = new HciHost(() => undefined);
  /** The packets that the host receives in place of a packet. */
  toHost: (packet: Buffer) => readonly Buffer[] = (packet) => [packet];
  /** Whether the controller receives a packet of the host. */
  passes: (packet: Buffer) => boolean = () => true;
  private server: TcpServer | undefined;

  constructor(private readonly air: Air) {}

  async listen(): Promise<number> {
    this.server = await startTcp((stream) => this.accept(stream));
    return this.port;
  }

  get port(): number {
    return this.server?.port ?? 0;
  }

  /** Sends additional packets to the host, in one piece. */
  inject(...packets: readonly Buffer[]): void {
    for (const stream of this.server?.sockets ?? []) stream.write(Buffer.concat(packets));
  }

  async close(): Promise<void> {
    await this.server?.close();
  }

  private accept(stream: Socket): void {
    const controller = this.air.add(
      { address: '02:A1:B0:00:00:FE' },
      {
        receive: (packet) => this.toHost(packet).forEach((received) => stream.write(received)),
        power: () => undefined,
      },
    );
    const read = h4Reader(
      (packet) => {
        this.fromHost.receive(Buffer.from(packet));
        if (this.passes(packet)) controller.receive(packet);
      },
      () => stream.destroy(),
    );
    stream.on('data', read);
    stream.on('close', () => this.air.remove(controller));
  }
}
