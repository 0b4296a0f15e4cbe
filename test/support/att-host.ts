/** A host with a link to a device, on an air in which time passes only when a test says so. */
import type { Air } from '../../simulators/radio/index.js';
import { Boundary } from '../../src/ble/hci/packets.js';
import { bytes, isAcl, otherTurns, text, type HciHost } from './hci-host.js';
import { CENTRAL, connectionTo, hostOn } from './hci-scenes.js';
import type { ManualTime } from './manual-time.js';

export const Channel = { att: 4, signalling: 5, security: 6 } as const;

const RANDOM = 1;

/** The factor by which the time of devices runs faster at pace `fast`. */
export const HASTE = 20;

/** L2CAP packets, reassembled from fragments, without their length. */
const whole = (parts: ReturnType<HciHost['takeAcl']>): readonly Buffer[] =>
  parts
    .reduce<readonly Buffer[]>(
      (packets, { boundary, data }) =>
        boundary === Boundary.continuing
          ? [...packets.slice(0, -1), Buffer.concat([...packets.slice(-1), data])]
          : [...packets, data],
      [],
    )
    .map((packet) => packet.subarray(2));

/** `address`: the random address of the device. */
export const attHost = async (air: Air, time: ManualTime, address: string) => {
  const host = await hostOn(air, { address: CENTRAL });
  let handle = 0;
  const sendOn = (channel: number, content: Buffer, boundary: number = Boundary.firstFromHost): void => {
    const header = Buffer.from([content.length & 0xff, content.length >> 8, channel, 0]);
    host.acl(handle, boundary, Buffer.concat([header, content]));
  };
  const send = (pdu: string): void => sendOn(Channel.att, bytes(pdu));
  /** Sends a packet in hex, and returns the answer. */
  const askOn = async (channel: number, content: string): Promise<string> => {
    sendOn(channel, bytes(content));
    return text((await host.next(isAcl)).subarray(9));
  };
  /** The unread L2CAP packets of the device, each after its channel. */
  const packets = (): readonly Buffer[] => whole(host.takeAcl());
  return {
    ...{ host, sendOn, send, askOn, packets },
    get handle() {
      return handle;
    },
    ask: (pdu: string): Promise<string> => askOn(Channel.att, pdu),
    /** `ms`: until the next advertisement. */
    connect: async (ms = 0): Promise<void> => {
      await host.status('leCreateConnection', { ...connectionTo(address), peerAddressType: RANDOM });
      if (ms > 0) time.advance(ms);
      ({ handle } = await host.connected());
      await otherTurns();
    },
    disconnect: async (): Promise<void> => {
      await host.status('disconnect', { handle, reason: 0x13 });
      await host.disconnected();
      await otherTurns();
    },
    /** Lets the device's time pass, and returns its unread packets. */
    pass: async (ms: number): Promise<readonly string[]> => {
      await time.pass(ms / HASTE);
      return packets().map((packet) => text(packet.subarray(2)));
    },
  };
};
