/** A replayed device on an air in which time passes only when a test says so, and a host that connects it. */
import { ReplayedDevice } from '../../simulators/replay/index.js';
import { Boundary } from '../../src/ble/hci/packets.js';
import { type HciHost, bytes, isAcl, otherTurns, text } from '../support/hci-host.js';
import { CENTRAL, connectionTo, hostOn, stillAir } from '../support/hci-scenes.js';
import { recorded } from './captures.js';

export const ADDRESS = 'C0:FF:EE:00:00:01';
const RANDOM = 1;
const ATT_CHANNEL = [4, 0];

/** Times of devices run 20 times as fast at pace `fast`. */
const HASTE = 20;

/** Packets, reassembled from fragments. */
const whole = (parts: ReturnType<HciHost['takeAcl']>): readonly Buffer[] =>
  parts.reduce<readonly Buffer[]>(
    (sofar, { boundary, data }) =>
      boundary === Boundary.continuing
        ? [...sofar.slice(0, -1), Buffer.concat([...sofar.slice(-1), data])]
        : [...sofar, data],
    [],
  );

export const replayOf = async (file: Buffer) => {
  const { air, time } = stillAir();
  const warnings: string[] = [];
  const recording = await recorded(file);
  const device = new ReplayedDevice({ air, recording, warn: (what) => warnings.push(what) });
  const host = await hostOn(air, { address: CENTRAL });
  let handle = 0;

  const sendOn = (channel: readonly number[], content: Buffer): void => {
    const header = Buffer.from([content.length & 0xff, content.length >> 8, ...channel]);
    host.acl(handle, Boundary.firstFromHost, Buffer.concat([header, content]));
  };
  const send = (pdu: string): void => sendOn(ATT_CHANNEL, bytes(pdu));
  /** The next ATT packet of the device. */
  const next = async (): Promise<string> => text((await host.next(isAcl)).subarray(9));
  return {
    ...{ air, time, warnings, device, host, recording, sendOn, send, next },
    ask: (pdu: string): Promise<string> => {
      send(pdu);
      return next();
    },
    connect: async (): Promise<void> => {
      await host.status('leCreateConnection', { ...connectionTo(ADDRESS), peerAddressType: RANDOM });
      handle = (await host.connected()).handle;
      await otherTurns();
    },
    disconnect: async (): Promise<void> => {
      await host.status('disconnect', { handle, reason: 0x13 });
      await host.disconnected();
      await otherTurns();
    },
    /** Lets the device's own time pass; the packets that were sent and not read yet. */
    pass: async (ms: number): Promise<readonly string[]> => {
      await time.pass(ms / HASTE);
      return whole(host.takeAcl()).map((packet) => text(packet.subarray(4)));
    },
  };
};
