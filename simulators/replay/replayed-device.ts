import type { Cancel } from '../../src/async/time.js';
import { VirtualSocket, type Air } from '../radio/index.js';
import { PeripheralHost } from '../ble/peripheral-host.js';
import type { Recording } from './recording.js';
import { RecordedServer } from './server.js';

export interface ReplayOptions {
  readonly air: Air;
  readonly recording: Recording;
  /** Called with a message when the recording has no answer. */
  readonly warn: (what: string) => void;
  /** Called when a link begins or ends. */
  readonly onLink?: (what: 'connected' | 'disconnected') => void;
}

/** A recorded device on the air, under its own address. */
export class ReplayedDevice {
  private readonly socket: VirtualSocket;
  private readonly host: PeripheralHost;
  private readonly server: RecordedServer;
  private nextPayload: Cancel | undefined;

  constructor(private readonly options: ReplayOptions) {
    const { air, recording, warn, onLink } = options;
    const { address, addressType, name } = recording;
    this.socket = new VirtualSocket(air, { address, addressType, name: name || address, maxLinks: 1 });
    this.server = new RecordedServer(recording, {
      time: air.deviceClock,
      send: (pdu) => this.host.send(pdu),
      missed: warn,
    });
    this.host = new PeripheralHost(this.socket, {
      linkMade: () => {
        this.nextPayload?.();
        onLink?.('connected');
        this.server.linkMade();
      },
      linkEnded: () => {
        onLink?.('disconnected');
        this.server.linkEnded();
        this.advertise(0);
      },
      receive: (pdu) => this.server.receive(pdu),
      refused: warn,
    });
    this.advertise(0);
  }

  close(): void {
    this.nextPayload?.();
    this.server.linkEnded();
    this.host.close();
    this.socket.detach();
  }

  /** From one recorded payload to the next, and from the last one to the first; while nobody listens it stays. */
  private advertise(index: number): void {
    const { air, recording } = this.options;
    const { payloads } = recording.advertising;
    const payload = payloads[index % payloads.length];
    if (payload === undefined) return;
    this.nextPayload?.();
    if (index === 0 || air.listened) this.host.advertise(payload);
    if (payloads.length === 1) return;
    this.nextPayload = air.deviceClock.after(payload.lasts, () => this.advertise(index + 1));
  }
}
