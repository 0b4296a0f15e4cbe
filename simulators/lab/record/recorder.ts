import { unlessShort, u8 } from '../../../src/bytes/index.js';
import { Channel, EventCode, PacketType } from '../../../src/ble/hci/packets.js';
import { advertisingReports } from '../../ble/advertising-reports.js';
import { AttOpcode } from '../../../src/ble/hci/att.js';
import { Reassembly, aclHead } from '../../ble/l2cap.js';
import { Trace } from '../../radio/index.js';
import { anonymise, type Disguise } from './anonymise.js';

const INDEX = 0;
/** A placeholder: the adapter's address is unknown at the start of the capture. */
const NO_ADDRESS = '00:00:00:00:00:00';

/** The capture of a host with one device, without advertisements of other devices. */
export class Recorder {
  /** Notifications and indications of the device. */
  notifications = 0;
  private readonly trace = new Trace({ recent: Infinity });
  private readonly incoming = new Reassembly();

  constructor(private readonly address: string) {
    this.trace.opened(INDEX, NO_ADDRESS, 'hci0');
  }

  readonly sent = (packet: Buffer): void => void this.trace.fromHost(INDEX, packet);

  readonly received = (packet: Buffer): void => {
    if (!this.concerns(packet)) return;
    this.trace.toHost(INDEX, packet);
    if (packet[0] === PacketType.acl) unlessShort(() => this.count(packet));
  };

  /** Replaces addresses and names in the capture so far. */
  anonymise(as: Disguise): void {
    anonymise(this.trace.after(0, Infinity), as);
  }

  /** The capture so far, btsnoop. */
  snapshot(): Buffer {
    return this.trace.snapshot();
  }

  private concerns(packet: Buffer): boolean {
    let concerns = true;
    if (packet[0] !== PacketType.event || packet[1] !== EventCode.leMeta) return concerns;
    unlessShort(() => {
      const reports = advertisingReports(u8.read(packet, 3), packet.subarray(4), 0);
      concerns = reports.length === 0 || reports.some(({ address }) => address === this.address);
    });
    return concerns;
  }

  private count(packet: Buffer): void {
    const whole = this.incoming.take(packet.subarray(5), aclHead(packet.subarray(1)).continues);
    if (whole?.channel !== Channel.att) return;
    const [opcode] = whole.payload;
    if (opcode === AttOpcode.handleValueNotification || opcode === AttOpcode.handleValueIndication) {
      this.notifications += 1;
    }
  }
}
