import { once } from 'node:events';
import { WebSocket } from 'ws';
import { DIE } from '../air.js';
import type { Setup } from '../setup.js';
import { powerOn } from './power.js';

/** A server under emulation is slow to start, and slower to answer than beside the rig. */
const START_LIMIT = 120_000;
const ANSWER_LIMIT = 60_000;

/** How often the server answers somebody else while it seeks a die in vain. */
const ANSWERS = 5;

/** The dice server has hci0 for itself, by the kernel's HCI user channel. */
export const proveUserChannel = async (setup: Setup): Promise<void> => {
  const { guest, report, air, ports } = setup;
  const server = serverAt(`127.0.0.1:${ports.dice}`);
  const serve = () =>
    guest.run('serve.sh dice --hci user:hci0 --scan-secs 2 --connect-timeout 10 --verbose 2', START_LIMIT);
  await air.populate();
  await powerOn(guest, 0);
  await report.prove(
    'on user:hci0 the dice server does not start while hci0 is up, and says the fix',
    async () => {
      const { status, output } = await serve();
      if (status === 0 || !output.includes('sudo hciconfig hci0 down')) throw new Error(output);
    },
  );
  const started = await report.prove('on user:hci0 it starts once hci0 is down', async () => {
    await guest.succeeds('hciconfig hci0 down');
    const { status, output } = await serve();
    if (status !== 0) throw new Error(output);
    await server.becomes('poweredOn');
  });
  if (!started) return;
  await report.prove('on user:hci0 it connects the die and tells of its roll', async () => {
    const events = await server.listen();
    await server.connects(DIE);
    await air.act(DIE, { type: 'roll', die: 'd6', face: 4 });
    await events.until(({ kind, face }) => kind === 'Stable' && face === 4);
    await server.disconnects();
    events.end();
  });
  await report.prove(
    'on user:hci0 it answers others while it seeks a die that is out of range, until its own limit',
    async () => {
      await server.post('/api/scan');
      await air.place(DIE, { in_range: false });
      const sought = await air.watch('LE Create Connection');
      const connecting = server.post('/api/connect', { address: DIE });
      // Where the die is never sought nobody waits for the answer.
      connecting.catch(() => undefined);
      await sought();
      const others = async (): Promise<void> => {
        for (let answers = 0; answers < ANSWERS; answers++) await server.health();
      };
      const first = await Promise.race([others().then(() => 'others'), connecting.then(() => 'who seeks')]);
      if (first !== 'others') throw new Error('it sought the die, and answered nobody until that was over');
      const { code } = await connecting;
      await air.place(DIE, { in_range: true });
      if (code !== 'timeout') throw new Error(`the connect ended with ${String(code)}`);
    },
  );
  await report.prove(
    'on user:hci0 it notices that the adapter is gone, and takes it when it is back',
    async () => {
      await guest.succeeds('unplug.sh hci0');
      await server.becomes('poweredOff');
      await guest.succeeds('plug.sh hci0 /dev/ttyS1');
      await server.becomes('poweredOn');
      await server.connects(DIE);
    },
  );
  await report.prove('on user:hci0 it ends in order, and leaves the adapter to the kernel', async () => {
    await guest.succeeds('stop.sh dice', START_LIMIT);
    await powerOn(guest, 0);
  });
};

type Json = Readonly<Record<string, unknown>>;

/** A client of the dice server; whatever it asks has to be answered within a limit. */
const serverAt = (host: string) => {
  const ask = async (path: string, init: RequestInit = {}): Promise<Json> => {
    const answer = await fetch(`http://${host}${path}`, {
      ...init,
      signal: AbortSignal.timeout(ANSWER_LIMIT),
    });
    return (await answer.json()) as Json;
  };
  const post = (path: string, body: object = {}): Promise<Json> =>
    ask(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  let session: unknown;
  return {
    post,
    health: () => ask('/health'),
    becomes: async (adapter: string): Promise<void> => {
      const deadline = AbortSignal.timeout(ANSWER_LIMIT);
      for (;;) {
        const health = await ask('/health');
        if (health['adapter'] === adapter) return;
        if (deadline.aborted) throw new Error(`/health goes on saying ${JSON.stringify(health)}`);
      }
    },
    connects: async (address: string): Promise<void> => {
      const answer = await post('/api/connect', { address });
      session = answer['session_id'];
      if (session === undefined) throw new Error(JSON.stringify(answer));
    },
    disconnects: () => post('/api/disconnect', { session_id: session }),
    listen: async () => {
      const socket = new WebSocket(`ws://${host}/ws`);
      const heard: Json[] = [];
      socket.on('message', (data: Buffer) => heard.push(JSON.parse(data.toString()) as Json));
      await once(socket, 'open', { signal: AbortSignal.timeout(ANSWER_LIMIT) });
      return {
        until: async (wanted: (event: Json) => boolean): Promise<void> => {
          const signal = AbortSignal.timeout(ANSWER_LIMIT);
          while (!heard.some(wanted)) {
            await once(socket, 'message', { signal }).catch(() => {
              throw new Error(`of events there were ${JSON.stringify(heard)}`);
            });
          }
        },
        end: () => socket.terminate(),
      };
    },
  };
};
