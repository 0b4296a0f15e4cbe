/** A device from a description, and a host that connects it. */
import { expect } from 'chai';
import { World, decodeSpecs } from '../../../simulators/control/index.js';
import { H4Server } from '../../../simulators/radio/index.js';
import { Boundary } from '../../../src/ble/hci/packets.js';
import { Channel, attHost } from '../../support/att-host.js';
import { right } from '../../support/either.js';
import { bytes, otherTurns, text } from '../../support/hci-host.js';
import { rows } from '../../support/rows.js';
import { stillAir } from '../../support/hci-scenes.js';

export const ADDRESS = 'F1:1E:00:00:00:01';

/** The time until the next advertisement, milliseconds. */
const ADVERTISED_MS = 110;

/** A described device, alone in a world. */
export const worldOf = async (described: object) => {
  const { air, time } = stillAir();
  const world = new World(air, new H4Server(air));
  right(await world.populate(right(decodeSpecs([{ kind: 'gatt', ...described }])))());
  return { air, time, device: right(world.find(ADDRESS)).device };
};

/** The same device, and a host that is not connected yet. */
export const hostOf = async (described: object) => {
  const { air, time, device } = await worldOf(described);
  const host = await attHost(air, time, ADDRESS);
  const { connect } = host;
  return Object.assign(host, { device, connect: () => connect(ADVERTISED_MS) });
};

export const deviceOf = async (described: object) => {
  const { device, ...host } = await hostOf(described);
  await host.connect();
  const { ask, askOn, send, sendOn, pass, packets } = host;
  return {
    ...{ device, ask, pass },
    /** Checks the answers to the requests of a table, in order. */
    answers: async (table: string): Promise<void> => {
      for (const [request, answer] of rows(2, table)) expect(await ask(request), request).to.equal(answer);
    },
    /** Resolves when the device has received the PDU. */
    send: async (pdu: string): Promise<void> => {
      send(pdu);
      await otherTurns();
    },
    /** Sends a signal of L2CAP; resolves with the packets that answer it. */
    signal: async (packet: string): Promise<readonly string[]> => {
      sendOn(Channel.signalling, bytes(packet));
      await otherTurns();
      return packets().map(text);
    },
    /** Sends an ATT request as a continuation without a beginning; resolves with the packets that answer it. */
    continueNothing: async (pdu: string): Promise<readonly string[]> => {
      sendOn(Channel.att, bytes(pdu), Boundary.continuing);
      await otherTurns();
      return packets().map(text);
    },
    pair: (pdu: string): Promise<string> => askOn(Channel.security, pdu),
    act: (action: object) => device.act(action),
  };
};

/** A service with these characteristics; the handle of the first value is 0x000c. */
export const serviceOf = (...characteristics: readonly object[]) => ({
  services: [{ uuid: 'abcd', characteristics }],
});
