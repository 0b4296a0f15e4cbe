import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';

const CLOCKS = 10;
const COMMANDS = 4_000;

interface Served extends Measured {
  readonly port: number;
}

interface Air {
  readonly hciPort: number;
  readonly addresses: readonly string[];
}

interface Answer {
  readonly id: number;
  readonly error: string | null;
}

/** Sends commands on one socket, and waits for their answers. */
const clientOf = async (port: number): Promise<(command: object) => Promise<void>> => {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { perMessageDeflate: false });
  await once(socket, 'open');
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.on('message', (data: Buffer) => {
    const answer = JSON.parse(data.toString()) as Answer;
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  let last = 0;
  return (command) =>
    new Promise((resolve, reject) => {
      last += 1;
      waiting.set(last, ({ error }) => (error === null ? resolve() : reject(new Error(error))));
      socket.send(JSON.stringify({ id: last, command }));
    });
};

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const folder = mkdtempSync(join(tmpdir(), 'airbench-'));
  const air = await startChild<Air>('world', ['0', String(2 * CLOCKS)]);
  const { hciPort, addresses } = air.ready;
  const [own, others] = [addresses.slice(0, CLOCKS), addresses.slice(CLOCKS)];
  const [ours, floor] = await Promise.all([
    startChild<Served>('radio-server', ['clock', String(hciPort), folder]),
    startChild<Served>('bare-clock-server', [String(hciPort), ...others]),
  ]);
  try {
    const [ourClient, floorClient] = await Promise.all(
      [ours, floor].map(({ ready }) => clientOf(ready.port)),
    );
    if (ourClient === undefined || floorClient === undefined) throw new Error('there are no clients');
    for (const address of own) await ourClient({ type: 'connect', address });
    const commands = scaled(scale, COMMANDS);
    const play = async (client: typeof ourClient, clocks: readonly string[]): Promise<void> => {
      const each = Math.ceil(commands / clocks.length);
      await Promise.all(
        clocks.map(async (address) => {
          for (let sent = 0; sent < each; sent++)
            await client({ type: 'set_brightness', address, value: 10 * (1 + (sent % 10)) });
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
    rmSync(folder, { recursive: true });
  }
}

export const command: Part = {
  name: 'command',
  summary: 'commands to clocks on one WebSocket, against a WebSocket that writes them on noble',
  matches,
};
