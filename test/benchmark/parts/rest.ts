import { Agent, get, type RequestOptions } from 'node:http';
import { startChild } from '../child.js';
import { scaled, type Match, type Part, type Scale } from '../part.js';
import { rateOf, rates, type Measured } from '../rate.js';

const CONNECTIONS = 50;
const REQUESTS = 20_000;
/** After which no answer is a failure, ms. */
const TIMEOUT = 10_000;

interface Served extends Measured {
  readonly port: number;
  readonly session: string;
}

const jsonOf = async (port: number, path: string): Promise<unknown> =>
  (await fetch(`http://127.0.0.1:${port}${path}`)).json();

/** One request; fails unless it is answered with 200. */
const ask = (options: RequestOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = get({ ...options, timeout: TIMEOUT }, (response) => {
      const { statusCode } = response;
      response.on('error', reject).on('end', () => {
        if (statusCode === 200) resolve();
        else reject(new Error(`${options.path} was answered with ${statusCode}`));
      });
      response.resume();
    });
    request.on('error', reject);
    request.on('timeout', () => request.destroy(new Error(`${options.path} was not answered`)));
  });

/** Asks over connections that stay open, one request after another on each. */
const askAll = async (port: number, path: string, amount: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  let left = amount;
  const askInTurn = async (): Promise<void> => {
    while (left-- > 0) await ask({ host: '127.0.0.1', port, path, agent });
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, askInTurn));
  } finally {
    agent.destroy();
  }
};

async function* matches(scale: Scale): AsyncGenerator<Match> {
  const ours = await startChild<Served>('dice-server');
  try {
    const paths = [`/api/status/${ours.ready.session}`, '/api/sessions'];
    const answers = await Promise.all(paths.map((path) => jsonOf(ours.ready.port, path)));
    const ready = JSON.stringify(Object.fromEntries(paths.map((path, index) => [path, answers[index]])));
    const amount = Math.max(CONNECTIONS, scaled(scale, REQUESTS));
    const warm = async ({ ready: { port } }: typeof ours): Promise<void> => {
      for (const path of paths) await askAll(port, path, amount);
    };
    await warm(ours);
    const floor = await startChild<Served>('guarded-rest-server', [ready]);
    try {
      await warm(floor);
      for (const path of paths) {
        const figure = `GET ${path.split('/').slice(0, 3).join('/')}`;
        const measured = (server: typeof ours): Promise<Record<string, number>> =>
          rateOf(figure, server, amount, () => askAll(server.ready.port, path, amount));
        yield {
          figures: rates(figure, 'requests/s', { atLeast: 0.8 }),
          ours: () => measured(ours),
          floor: () => measured(floor),
        };
      }
    } finally {
      await floor.end();
    }
  } finally {
    await ours.end();
  }
}

export const rest: Part = {
  name: 'rest',
  summary: `requests over ${CONNECTIONS} connections, against Express with the same guards, which answers the same JSON`,
  matches,
};
