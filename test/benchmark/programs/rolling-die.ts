/**
 * A die on a radio of its own, and the client of a server that is on that radio too: `{"events": N, "port": P}` has the die
 * notify so often, each time when the client has received what came of the one before.
 */
import { WebSocket } from 'ws';
import { once } from 'node:events';
import { DieModel } from '../../../simulators/dice/model.js';
import { USUAL_BEHAVIOUR } from '../../../simulators/die/behaviour.js';
import { createPeripheral } from '../../../simulators/peripheral/index.js';
import { Air, H4Server, VirtualSocket } from '../../../simulators/radio/index.js';
import {
  encodeNotification,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  type Notification,
} from '../../../src/dice/drivers/godice/protocol/index.js';
import { quantileOf } from '../../support/statistics.js';
import { onQuestion, say } from './said.js';

const air = new Air({ pace: 'fast' });
const server = new H4Server(air);
const resting = { x: 1, y: 63, z: -2 };
const ROLL: readonly Notification[] = [{ _tag: 'RollStart' }, { _tag: 'Stable', acceleration: resting }];

/** One for each host that has connected. */
const dice = ['D1:CE:00:00:00:01', 'D1:CE:00:00:00:02'].map((address) => {
  let notify: ((value: Buffer) => void) | undefined;
  const send = (notification: Notification): void => notify?.(encodeNotification(notification));
  const model = new DieModel(
    { colour: 'red', batteryLevel: 80, charging: false, resting, asleep: false, behaviour: USUAL_BEHAVIOUR },
    { time: air.deviceClock, notify: send, dropLink: () => undefined, changed: () => undefined },
  );
  createPeripheral({
    socket: new VirtualSocket(air, { address, addressType: 'random' }),
    name: 'GoDice_000001_R_v04',
    advertises: [NUS_SERVICE],
    services: [
      {
        uuid: NUS_SERVICE,
        characteristics: [
          {
            uuid: NUS_WRITE,
            properties: ['write', 'writeWithoutResponse'],
            onWrite: (value) => {
              queueMicrotask(() => model.write(value));
              return 0;
            },
          },
          { uuid: NUS_NOTIFY, properties: ['notify'], onSubscribe: (given) => (notify = given) },
        ],
      },
    ],
  });
  return { address, send };
});

const clients = new Map<number, WebSocket>();
const clientOf = async (port: number): Promise<WebSocket> => {
  const open = clients.get(port);
  if (open !== undefined) return open;
  const client = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
  await once(client, 'open');
  clients.set(port, client);
  return client;
};

onQuestion(async ({ events, port, address }) => {
  const die = dice.find((one) => one.address === address);
  const client = await clientOf(Number(port));
  const took: number[] = [];
  for (let event = 0; event < Number(events); event++) {
    const notification = ROLL[event % 2];
    const begun = performance.now();
    await new Promise<unknown>((resolve) => {
      client.once('message', resolve);
      if (notification !== undefined) die?.send(notification);
    });
    took.push(performance.now() - begun);
  }
  return { p50: quantileOf(took, 0.5), p99: quantileOf(took, 0.99) };
});
say({
  hciPort: await server.listen({ host: '127.0.0.1', port: 0 }),
  addresses: dice.map(({ address }) => address),
});
