import { once } from 'node:events';
import { WebSocket } from 'ws';
import { DIE, type RunningAir } from '../air.js';

/** A server under emulation is slower to respond than beside the rig. */
const ANSWER_LIMIT = 60_000;

/** How many responses other clients get while the server searches for a die that is absent. */
const ANSWERS = 5;

type Json = Readonly<Record<string, unknown>>;

/** A client of the dice server; each response must come within a limit. */
export const serverAt = (host: string) => {
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
    /** The status of the die that the server connected last. */
    status: () => ask(`/api/status/${String(session)}`),
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
    /** The address of the die that advertises this name. */
    finds: async (name: string): Promise<string> => {
      const found = Object.values(await post('/api/scan')) as readonly Json[];
      const die = found.find((one) => one['name'] === name);
      if (die === undefined) throw new Error(`a scan found ${JSON.stringify(found)}`);
      return String(die['address']);
    },
    lights: (led1: string, led2: string) => post('/api/led', { session_id: session, led1, led2 }),
    disconnects: () => post('/api/disconnect', { session_id: session }),
    listen: async () => {
      const socket = new WebSocket(`ws://${host}/ws`);
      const received: Json[] = [];
      socket.on('message', (data: Buffer) => received.push(JSON.parse(data.toString()) as Json));
      await once(socket, 'open', { signal: AbortSignal.timeout(ANSWER_LIMIT) });
      return {
        until: async (wanted: (event: Json) => boolean): Promise<void> => {
          const signal = AbortSignal.timeout(ANSWER_LIMIT);
          while (!received.some(wanted)) {
            await once(socket, 'message', { signal }).catch(() => {
              throw new Error(`of events there were ${JSON.stringify(received)}`);
            });
          }
        },
        end: () => socket.terminate(),
      };
    },
  };
};

export type DiceClient = ReturnType<typeof serverAt>;

/**
 * @throws unless the server responds to others while it searches for a die out of range, and stops at its own limit, of
 * `limit` milliseconds; the kernel's own, for which a server could be made to wait, is 40 s.
 */
export const seeksInVain = async (
  server: DiceClient,
  air: RunningAir,
  { command, limit }: { readonly command: string; readonly limit: number },
): Promise<void> => {
  await server.post('/api/scan');
  await air.place(DIE, { in_range: false });
  const [sought, gaveUp] = [await air.watch(command), await air.watch('LE Create Connection Cancel')];
  const began = performance.now();
  const connecting = server.post('/api/connect', { address: DIE });
  // Where the die is never searched for the response is not awaited.
  connecting.catch(() => undefined);
  await sought();
  const others = async (): Promise<void> => {
    for (let answers = 0; answers < ANSWERS; answers++) await server.health();
  };
  const first = await Promise.race([others().then(() => 'others'), gaveUp().then(() => 'who seeks')]);
  if (first !== 'others')
    throw new Error('it searched for the die, and responded to no other until that was over');
  const { code } = await connecting;
  const took = performance.now() - began;
  await air.place(DIE, { in_range: true });
  if (code !== 'timeout') throw new Error(`the connect ended with ${String(code)}`);
  if (took > 2 * limit) throw new Error(`the connect ended after ${Math.round(took)} ms`);
};
