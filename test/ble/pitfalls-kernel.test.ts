import { EventEmitter } from 'node:events';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { NobleRadio } from '../../src/ble/noble/index.js';
import type { Transport } from '../../src/ble/noble/transport.js';
import { VirtualSocket } from '../../simulators/radio/index.js';
import { LIMITS, linkTo, useRig } from '../support/bluetooth-fixture.js';
import { bytes } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';

/** LE Set Extended Scan Enable, off: with it the kernel chooses the extended commands for its controller. */
const AS_THE_KERNEL = bytes('01 42 20 06 00 00 00 00 00 00');

/** Octet 37 of the mask in the answer to Read Local Supported Commands: 04 0E, length, credit, opcode, status, mask. */
const OCTET_37 = 7 + 37;
const answersSupportedCommands = (packet: Buffer): boolean =>
  packet[0] === 0x04 && packet[1] === 0x0e && packet.readUInt16LE(4) === 0x1002;

/** A socket of the kernel, which uses the same controller. */
class KernelSocket extends VirtualSocket {
  readonly opcodes: number[] = [];
  /** The bits that are cleared in octet 37 of the supported commands. */
  absent = 0;

  override write(packet: Buffer): void {
    if (packet[0] === 0x01) this.opcodes.push(packet.readUInt16LE(1));
    super.write(packet);
  }

  override emit(name: string | symbol, ...args: unknown[]): boolean {
    const [packet] = args;
    if (Buffer.isBuffer(packet) && answersSupportedCommands(packet)) {
      packet[OCTET_37] = (packet[OCTET_37] ?? 0) & ~this.absent;
    }
    return super.emit(name, ...args);
  }
}

/** Errors of noble on an adapter that the Linux kernel drives as well, and their treatment here. */
describe('noble’s pitfalls on the kernel’s adapters', () => {
  const rig = useRig();
  let socket: KernelSocket;
  let radio: NobleRadio;

  beforeEach(() => {
    socket = new KernelSocket(rig.air, { address: '02:A1:B0:00:00:99' });
    const transport: Transport = Object.assign(new EventEmitter(), {
      ...{ name: 'hci0', device: 0, kernel: true },
      socket: () => socket,
      close: () => socket.detach(),
    });
    radio = new NobleRadio({
      ...{ transport, limits: LIMITS, time: manualTime(), memory: { devices: 10, ms: 60_000 } },
      warn: (message) => expect.fail(message),
      explain: (state) => ({ what: `it is ${state}` }),
    });
  });

  afterEach(() => radio.close());

  const LEGACY = [0x200b, 0x200c, 0x200d];
  const EXTENDED = [0x2041, 0x2042, 0x2043];
  for (const [title, prepare, used, unused] of [
    [
      'noble uses the extended commands if the kernel does',
      () => socket.write(AS_THE_KERNEL),
      EXTENDED,
      LEGACY,
    ],
    ['noble uses the legacy commands otherwise', () => (socket.absent = 0x40), LEGACY, EXTENDED],
  ] as const)
    it(`26. ${title}`, async () => {
      await rig.device();
      prepare();
      radio.start();
      await (await linkTo(radio)).disconnect();
      expect(socket.opcodes).to.include.members([...used]);
      expect(socket.opcodes).not.to.include.oneOf([...unused]);
    });
});
