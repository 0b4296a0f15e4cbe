/** A device from a description on an air in which time passes only when a test says so, and a host that connects it. */
import { World, decodeSpecs } from '../../../simulators/control/index.js';
import { H4Server } from '../../../simulators/radio/index.js';
import { Boundary } from '../../../src/ble/hci/packets.js';
import { right } from '../../support/either.js';
import { bytes, isAcl, otherTurns, text } from '../../support/hci-host.js';
import { CENTRAL, connectionTo, hostOn, stillAir } from '../../support/hci-scenes.js';

export const ADDRESS = 'F1:1E:00:00:00:01';
const RANDOM = 1;
const [ATT, SIGNALLING, SECURITY] = [4, 5, 6];

/** Times of devices run 20 times as fast at pace `fast`. */
export const HASTE = 20;

export const deviceOf = async (described: object) => {
  const { air, time } = stillAir();
  const world = new World(air, new H4Server(air));
  right(await world.populate(right(decodeSpecs([{ kind: 'gatt', ...described }])))());
  const host = await hostOn(air, { address: CENTRAL });
  await host.status('leCreateConnection', { ...connectionTo(ADDRESS), peerAddressType: RANDOM });
  time.advance(110);
  const { handle } = await host.connected();
  await otherTurns();
  const sendOn = (channel: number, pdu: string): void => {
    const content = bytes(pdu);
    const header = Buffer.from([content.length & 0xff, content.length >> 8, channel, 0]);
    host.acl(handle, Boundary.firstFromHost, Buffer.concat([header, content]));
  };
  const next = async (): Promise<string> => text((await host.next(isAcl)).subarray(9));
  const device = right(world.find(ADDRESS)).device;
  return {
    device,
    /** Resolves when the device has it. */
    send: async (pdu: string): Promise<void> => {
      sendOn(ATT, pdu);
      await otherTurns();
    },
    ask: (pdu: string): Promise<string> => {
      sendOn(ATT, pdu);
      return next();
    },
    /** Sends a signal of L2CAP; the packets that answer it. */
    signal: async (packet: string): Promise<readonly string[]> => {
      sendOn(SIGNALLING, packet);
      await otherTurns();
      return host.takeAcl().map(({ data }) => text(data.subarray(2)));
    },
    /** Sends an ATT request as a fragment that continues nothing; the packets that answer it. */
    continueNothing: async (pdu: string): Promise<readonly string[]> => {
      const content = bytes(pdu);
      host.acl(handle, Boundary.continuing, Buffer.concat([Buffer.of(content.length, 0, ATT, 0), content]));
      await otherTurns();
      return host.takeAcl().map(({ data }) => text(data.subarray(4)));
    },
    pair: (pdu: string): Promise<string> => {
      sendOn(SECURITY, pdu);
      return next();
    },
    /** Lets the device's own time pass; the packets that were sent and not read yet. */
    pass: async (ms: number): Promise<readonly string[]> => {
      await time.pass(ms / HASTE);
      return host.takeAcl().map(({ data }) => text(data.subarray(4)));
    },
    act: (action: object) => device.act(action),
  };
};

/** A service with these characteristics; the handle of the first value is 0x000c. */
export const serviceOf = (...characteristics: readonly object[]) => ({
  services: [{ uuid: 'abcd', characteristics }],
});
