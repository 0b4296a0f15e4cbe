import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import { perKind } from '../../src/contract/kinds.js';
import type { Bench } from '../../features/bench/bench.js';
import { CannotRun } from '../../features/bench/cannot-run.js';
import { lacksOf } from '../../features/bench/actuators.js';
import { checkStart, type Start } from '../../features/support/start-check.js';
import { startSeedServers, type SeedServers } from '../seed-server/index.js';

describe('The check before the first scenario', () => {
  let seed: SeedServers;
  const started: Server[] = [];

  before(async () => {
    seed = await startSeedServers();
  });
  after(() => seed.close());
  afterEach(() => {
    for (const server of started.splice(0)) server.close();
  });

  /** The URL of a server, which begins to listen. */
  const listening = async (server: Server): Promise<string> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };

  /** Starts a server that answers these paths, and any other path with `status`. */
  const serving = async (answers: Readonly<Record<string, unknown>>, status = 404): Promise<string> => {
    const server = createServer((request, response) => {
      const answer = answers[request.url ?? ''];
      response.writeHead(answer === undefined ? status : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(answer ?? {}));
    });
    started.push(server);
    return listening(server);
  };

  const benchOf = (urls: Partial<Bench['urls']>, more: Partial<Bench> = {}): Bench => ({
    ...{ station: undefined, operator: undefined, controlUrl: undefined, patience: undefined },
    urls: { dice: undefined, clock: undefined, ...urls },
    ...{ virtualAir: false, dice: [], clocks: [], destructive: false, problems: [], lacking: [] },
    programs: perKind(() => undefined),
    hands: () => ({ actors: {}, readModel: undefined }),
    close: () => Promise.resolve(),
    ...more,
  });

  /** The lines of a refusal. */
  const refusal = async (bench: Bench): Promise<readonly string[]> => {
    const outcome = await checkStart(bench).catch((error: unknown) => error);
    if (!(outcome instanceof CannotRun)) throw new Error('the check has refused nothing');
    return outcome.message.split('\n');
  };

  const about = {
    ...{ name: 'airbench dice server', version: '9.9.9', commit: null },
    ...{ started: '2026-03-01T09:00:00.000Z', node: 'v22.1.0', radios: ['hci1'] },
  };

  it('names the software of a server, and null for a server that does not identify it', async () => {
    const dice = await serving({ '/api/about': about });
    const { servers } = await checkStart(benchOf({ dice, clock: seed.urls.clock }));
    expect(servers).to.deep.equal([
      { name: 'dice server', url: dice, about },
      { name: 'clock server', url: seed.urls.clock, about: null },
    ]);
  });

  it('names exchanged URLs of servers that know the interface documents alone', async () => {
    const { dice, clock } = seed.urls;
    expect(await refusal(benchOf({ dice: clock, clock: dice }))).to.deep.equal([
      `${clock} is a clock server and ${dice} a dice server: exchange the two URLs`,
    ]);
  });

  it('names the server at the URL of another', async () => {
    const control = await serving({ '/devices': [] });
    expect(await refusal(benchOf({ dice: control }))).to.deep.equal([
      `the URL of the dice server, ${control}, is that of a control API`,
    ]);
  });

  it('refuses a URL where another service answers', async () => {
    const other = await serving({});
    expect(await refusal(benchOf({ dice: other, clock: other }))).to.deep.equal([
      `${other} is not a dice server: POST /api/scan is answered with 404`,
      `${other} is not a clock server: GET /api/devices is answered with 404`,
    ]);
  });

  it('refuses a URL where each path has a page', async () => {
    const server = createServer((_, response) => void response.end('<!doctype html>'));
    started.push(server);
    const pages = await listening(server);
    expect(await refusal(benchOf({ dice: pages, clock: pages }))).to.deep.equal([
      `${pages} is not a dice server: POST /api/scan is answered with 200 without JSON`,
      `${pages} is not a clock server: GET /api/devices is answered with 200 without JSON`,
    ]);
  });

  it('names the variable of a token that a server refuses', async () => {
    process.env['AIRBENCH_TOKEN'] = 'another';
    try {
      const closed = await serving({}, 401);
      expect(await refusal(benchOf({ dice: closed }))).to.deep.equal([
        `the dice server at ${closed} refuses the token: correct AIRBENCH_TOKEN, or the URL`,
      ]);
    } finally {
      delete process.env['AIRBENCH_TOKEN'];
    }
  });

  it('asks for the token that a server needs', async () => {
    const closed = await serving({}, 401);
    expect(await refusal(benchOf({ clock: closed }))).to.deep.equal([
      `the clock server at ${closed} asks for a token: set AIRBENCH_TOKEN`,
    ]);
  });

  it('names all silent servers and missing programs at once', async () => {
    const url = await serving({});
    const [server] = started.splice(0);
    server?.close();
    const { problems } = lacksOf({ servers: {}, actuators: { roll: ['no-such-robot'], tap: ['./gone'] } });
    const silent = `${url} does not answer (connection refused): start it, or correct its URL`;
    expect(await refusal(benchOf({ dice: url, clock: url }, { problems }))).to.deep.equal([
      'actuators.roll cannot be run: there is no program "no-such-robot"',
      'actuators.tap cannot be run: there is no program "./gone"',
      `the dice server at ${silent}`,
      `the clock server at ${silent}`,
    ]);
  });

  describe('searches the devices of the bench file', () => {
    const met = (start: Start): unknown => start.devices.map((device) => [device.address, device.met]);

    it('by a scan, with name, firmware, battery and signal of each', async () => {
      const dice = await serving({
        '/api/about': about,
        '/api/sessions': [{ address: 'D1:CE:00:00:00:02', battery_level: 40, rssi: -55 }],
        '/api/scan?duration_secs=1&detail=full': [
          { address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04', rssi: -60, battery_level: 80 },
        ],
      });
      const listed = [1, 2].map((n) => ({ address: `D1:CE:00:00:00:0${n}`, name: `die ${n}` }));
      const { devices, findings } = await checkStart(benchOf({ dice }, { dice: listed }));
      const seen = { kind: 'dice', maker: 'GoDice', met: true };
      expect(devices).to.deep.equal([
        {
          ...{ ...seen, address: 'D1:CE:00:00:00:01', name: 'GoDice_000001_R_v04' },
          ...{ firmware: 'v04', battery: 80, rssi: -60 },
        },
        {
          ...{ ...seen, address: 'D1:CE:00:00:00:02', name: 'die 2' },
          ...{ firmware: null, battery: 40, rssi: -55 },
        },
      ]);
      expect(findings).to.be.empty;
    });

    it('at servers that know the interface documents alone', async () => {
      const { dice, clocks } = seed.bench(seed.urls) as Pick<Bench, 'dice' | 'clocks'>;
      const start = await checkStart(benchOf(seed.urls, { dice, clocks }));
      expect(met(start)).to.deep.equal([...dice, ...clocks].map(({ address }) => [address, true]));
    });

    it('and reports those that no server hears, and why', async () => {
      const dice = await serving({ '/api/about': about });
      const [address, name] = ['D1:CE:00:00:00:09', 'attic'];
      const start = await checkStart(benchOf({ dice }, { dice: [{ address, name }] }));
      expect(met(start)).to.deep.equal([[address, false]]);
      expect(start.findings).to.deep.equal([
        `the dice server at ${dice} did not hear the die ${address} (attic) at the start ` +
          '(POST /api/scan was answered with 404: {}): wake it, or correct the bench file',
      ]);
    });
  });
});
