import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';
import { at } from '../../support/client.js';
import { ClockClient } from '../../../src/testing/internal/clock-client.js';
import { newFolder } from '../../support/folders.js';

const CLOCKS = 10;
const COMMANDS = 4_000;

interface Served extends Measured {
  readonly port: number;
}

interface Air {
  readonly hciPort: number;
  readonly addresses: readonly string[];
}

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const folder = newFolder();
  const air = await startChild<Air>('world', ['0', String(2 * CLOCKS)]);
  const { hciPort, addresses } = air.ready;
  const [own, others] = [addresses.slice(0, CLOCKS), addresses.slice(CLOCKS)];
  const [ours, floor] = await Promise.all([
    startChild<Served>('radio-server', ['clock', String(hciPort), folder]),
    startChild<Served>('bare-clock-server', [String(hciPort), ...others]),
  ]);
  try {
    const [ourClient, floorClient] = await Promise.all(
      [ours, floor].map(({ ready }) => ClockClient.open(`${at(ready.port)}/ws`)),
    );
    if (ourClient === undefined || floorClient === undefined) throw new Error('there are no clients');
    for (const address of own) await ourClient.succeed({ type: 'connect', address });
    const commands = scaled(scale, COMMANDS);
    const play = async (client: typeof ourClient, clocks: readonly string[]): Promise<void> => {
      const each = Math.ceil(commands / clocks.length);
      await Promise.all(
        clocks.map(async (address) => {
          for (let sent = 0; sent < each; sent++)
            await client.succeed({ type: 'set_brightness', address, value: 10 * (1 + (sent % 10)) });
        }),
      );
    };
    await play(ourClient, own);
    await play(floorClient, others);
    for (const count of [1, CLOCKS]) {
      const figure = `commands to ${count} clocks`;
      yield {
        figures: rates(figure, 'commands/s', { atLeast: 0.3 }),
        ours: () => rateOf(figure, ours, commands, () => play(ourClient, own.slice(0, count))),
        floor: () => rateOf(figure, floor, commands, () => play(floorClient, others.slice(0, count))),
      };
    }
  } finally {
    for (const child of [ours, floor, air]) await child.end();
  }
}

export const command: Part = {
  name: 'command',
  summary: 'commands to clocks on one WebSocket, against a WebSocket that writes them on noble',
  matches,
};
