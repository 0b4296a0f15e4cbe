/** A dice server and a clock server that have what the two interface documents state, and nothing else of airbench. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Express } from 'express';
import { WebSocketServer, type WebSocket } from 'ws';
import { SeedClock } from './clock.js';
import { SeedDice } from './dice.js';

export interface SeedServers {
  readonly urls: { readonly dice: string; readonly clock: string };
  /** A bench file for servers at these URLs: the devices, and commands that act on them. */
  readonly bench: (urls: SeedServers['urls']) => object;
  readonly close: () => void;
}

const serve = async (app: Express, opened: (client: WebSocket) => void): Promise<Server> => {
  const server = createServer(app);
  new WebSocketServer({ server, path: '/ws' }).on('connection', opened);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
};

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** A command that posts to the URL in its argument. */
const POST = [
  process.execPath,
  '-e',
  'fetch(process.argv[1], { method: "POST" }).then(({ ok }) => process.exit(ok ? 0 : 1))',
];

export const startSeedServers = async (): Promise<SeedServers> => {
  const [dice, clock] = [new SeedDice(), new SeedClock()];
  const apps = { dice: express().use(express.json()), clock: express() };
  dice.routes(apps.dice);
  clock.routes(apps.clock);
  apps.dice.post('/stand-in/:address/:action{/:value}', ({ params }, response) => {
    const { address, action, value } = params;
    const acted = [dice, clock].some((devices) => devices.act(address, action, Number(value)));
    response.status(acted ? 200 : 404).end();
  });
  const diceServer = await serve(apps.dice, (client) => {
    dice.clients.add(client);
    client.on('close', () => dice.clients.delete(client));
  });
  const clockServer = await serve(apps.clock, (client) => {
    client.on('message', (text: Buffer) => void clock.answer(text.toString(), client));
  });
  const urls = { dice: urlOf(diceServer), clock: urlOf(clockServer) };
  const act = (action: string) => [...POST, `${urls.dice}/stand-in/{address}/${action}`];
  return {
    urls,
    bench: (places) => ({
      servers: { dice: { url: places.dice }, clock: { url: places.clock } },
      dice: dice.dice.map(({ address, name }) => ({ address, name, shell: 'd6' })),
      clocks: [{ address: clock.address }],
      actuators: {
        ...{ roll: act('roll/{face}'), sensors: act('sensors/{temperature}') },
        ...{ away: act('away'), back: act('back') },
      },
    }),
    close: () => {
      for (const server of [diceServer, clockServer]) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
};
