/**
 * A world of dice and clocks for hosts on H4: `air DICE CLOCKS`. After `{"events": N, "port": P, "address": A}` a die notifies
 * N times, each time after a client of the server at that port has received the last event.
 */
import { Listener } from '../../../simulators/testing/internal/listener.js';
import { right } from '../../support/either.js';
import { quantileOf } from '../../support/statistics.js';
import { openWorld, some } from '../../support/world.js';
import { serve } from './serve.js';

/** A roll begins, and ends. */
const ROLL = ['52', '53013FFE'].map((hex) => ({ type: 'notify', hex }));

const [dice = 0, clocks = 0] = process.argv.slice(2).map(Number);
const { world, port: hciPort } = await openWorld([...some('dice', dice), ...some('clock', clocks)], {
  pace: 'fast',
  maxLinks: dice + clocks,
});
const clients = new Map<unknown, Listener>();

serve({ hciPort, addresses: world.list().map(({ address }) => address) }, async (question) => {
  const { device } = right(world.find(String(question['address'])));
  const { port } = question;
  const client = clients.get(port) ?? (await Listener.open(`ws://127.0.0.1:${String(port)}/ws`));
  clients.set(port, client);
  const took: number[] = [];
  for (let event = 0; event < Number(question['events']); event++) {
    const begun = performance.now();
    await new Promise((resolve) => {
      client.socket.once('message', resolve);
      right(device.act(ROLL[event % 2] ?? {}));
    });
    took.push(performance.now() - begun);
  }
  return { p50: quantileOf(took, 0.5), p99: quantileOf(took, 0.99) };
});
