import type { Cancel } from '../../../src/async/time.js';
import { VirtualSocket, type Air } from '../../radio/index.js';
import { AttOpcode } from '../../../src/ble/hci/att.js';
import { AttServer } from '../../ble/att-server.js';
import type { Attribute } from '../../ble/attributes.js';
import { PeripheralHost } from '../../ble/peripheral-host.js';
import type { Recording } from './recording.js';
import { RecordedValues } from './values.js';

export interface ReplayOptions {
  readonly air: Air;
  readonly recording: Recording;
  /** Called with a message when the recording has no answer. */
  readonly warn: (message: string) => void;
  readonly onLink?: (state: 'connected' | 'disconnected') => void;
}

/** A recorded device on the air, under its own address. */
export class ReplayedDevice {
  private readonly socket: VirtualSocket;
  private readonly host: PeripheralHost;
  private readonly values: RecordedValues;
  private readonly server: AttServer<Attribute>;
  private nextPayload: Cancel | undefined;

  constructor(private readonly options: ReplayOptions) {
    const { air, recording, warn, onLink } = options;
    const { address, addressType, name, links, mtu } = recording;
    this.socket = new VirtualSocket(air, { address, addressType, name: name || address, maxLinks: 1 });
    const channel = { time: air.deviceClock, send: (pdu: Buffer) => this.host.send(pdu) };
    this.values = new RecordedValues(links, {
      ...{ ...channel, missed: warn, mtu: () => this.server.mtu },
      requestMtu: (requested) => this.server.requestMtu(requested),
    });
    // Read Multiple is not replayed: its response does not show where a value ends.
    this.server = new AttServer(this.values, {
      ...{ ...channel, mtu, unsupported: [AttOpcode.readMultipleRequest] },
    });
    this.host = new PeripheralHost(this.socket, {
      linkMade: () => {
        this.nextPayload?.();
        onLink?.('connected');
        this.server.begin(this.values.begin());
      },
      linkEnded: () => {
        onLink?.('disconnected');
        this.endLink();
        this.advertise(0);
      },
      receive: (pdu) => this.server.receive(pdu),
      refused: warn,
    });
    this.advertise(0);
  }

  close(): void {
    this.nextPayload?.();
    this.endLink();
    this.host.close();
    this.socket.detach();
  }

  private endLink(): void {
    this.values.end();
    this.server.end();
  }

  /** Advertises the recorded payloads in turn, again and again; while nobody listens the payload stays. */
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
