import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { serveControl } from '../../simulators/control/index.js';
import { tokenAccess } from '../../src/access/access.js';
import { DEFAULT_PROTECTION } from '../../src/http/index.js';
import { systemTime } from '../../src/async/time.js';
import { at, post, request, type Answer } from '../support/client.js';
import { RED } from '../support/dice-fixture.js';
import { right } from '../support/either.js';
import { FakeRadio } from '../support/fake-radio.js';
import { keeper } from '../support/keep.js';
import { silent } from '../support/log.js';
import { openDiceServer } from '../support/servers.js';
import { steppedTime } from '../support/stepped-time.js';
import { openWorld } from '../support/world.js';

const TOKEN = 'token-of-the-control-api';
const PIXELS = 'F1:CE:00:00:00:01';
const ROLL = `/api/dice/${RED}/roll`;

describe('POST /api/dice/:address/roll', () => {
  const keep = keeper(afterEach);

  /** A control API with a GoDice and a Pixels die, which asks for a token. */
  const openControl = async (): Promise<string> => {
    const { world } = keep(await openWorld([{ kind: 'dice' }, { kind: 'pixels', die: 'd8' }]));
    const access = tokenAccess([{ name: 'dice server', scope: 'full', token: TOKEN }]);
    const protection = { ...DEFAULT_PROTECTION, access };
    const options = { world, address: '127.0.0.1', port: 0, time: systemTime, log: silent, protection };
    return `${at(keep(right(await serveControl(options)())).port)}/`;
  };

  /** A program in the place of the control API. */
  const serveAs = async (answer: RequestListener): Promise<string> => {
    const server = createServer(answer).listen(0, '127.0.0.1');
    await once(server, 'listening');
    keep({
      close: () => {
        server.closeAllConnections();
        server.close();
      },
    });
    return urlOf(server);
  };

  const urlOf = (server: Server): string => `${at((server.address() as AddressInfo).port)}/`;

  const openServer = async (simulator?: { url: string; token?: string }) => {
    const [radio, time] = [new FakeRadio(), steppedTime(0)];
    const { port } = keep(
      await openDiceServer({
        ...{ radio, time },
        config: simulator === undefined ? {} : { simulator: { token: TOKEN, ...simulator } },
      }),
    );
    const roll = (body: object = {}, path = ROLL): Promise<Answer> => post(port, path, body);
    return { radio, time, port, roll };
  };

  const shown = ({ status, body }: Answer): string => {
    const { code, error } = body as { readonly code: string; readonly error: string };
    return `${status} ${code} ${error}`;
  };

  it('rolls dice of both makers, connected or not', async () => {
    const { roll } = await openServer({ url: await openControl() });
    expect((await roll()).body).to.deep.equal({ address: RED, rolled: true });
    const { body } = await roll({ face: 7, roll_ms: 0 }, `/api/dice/${PIXELS.toLowerCase()}/roll`);
    expect(body).to.deep.equal({ address: PIXELS, rolled: true });
  });

  it('rolls a die with a session on the faces of its type', async () => {
    const { radio, port, roll } = await openServer({ url: await openControl() });
    expect(shown(await roll({ face: 20 }))).to.include('400 invalid_input face of a d6 must be one of 1, 2');
    radio.add(RED);
    await post(port, '/api/connect', { address: RED, dice_type: 'd20' });
    expect((await roll({ face: 20 })).status).to.equal(200);
    expect(shown(await roll({ face: 20, die: 'd8' }))).to.include('face of a d8 must be');
    expect((await roll({ acceleration: { x: 1, y: 2, z: 60 } })).status).to.equal(200);
  });

  it('passes refusals of the control API on', async () => {
    const { roll } = await openServer({ url: await openControl() });
    const rollOf = async (address: string, body = {}): Promise<string> =>
      shown(await roll(body, `/api/dice/${address}/roll`));
    expect(await rollOf('AA:BB:CC:DD:EE:FF')).to.equal(
      '404 unknown_device device AA:BB:CC:DD:EE:FF is not in the simulation',
    );
    expect(await rollOf(PIXELS, { ending: 'fake' })).to.include(
      '400 invalid_input ending must be one of stable, tilt, move, none',
    );
  });

  it('fails if the control API does not take its token', async () => {
    const url = await openControl();
    const { roll } = await openServer({ url, token: 'another-token-0123' });
    expect(shown(await roll())).to.include(`500 simulator_failed the simulator at ${url} answered 401: `);
  });

  it('fails if nothing listens at the URL', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = urlOf(server);
    await new Promise((resolve) => server.close(resolve));
    const { roll } = await openServer({ url });
    expect(shown(await roll())).to.equal(
      `500 simulator_failed the simulator at ${url} cannot be reached: connection refused`,
    );
  });

  it('fails if another program answers', async () => {
    const url = await serveAs((_request, response) => response.end('hello'));
    const { roll } = await openServer({ url });
    expect(shown(await roll())).to.equal(
      `500 simulator_failed the simulator at ${url} answered 200 with something else than a die`,
    );
  });

  it('fails after 5 seconds without an answer', async () => {
    const url = await serveAs(() => undefined);
    const { roll, time } = await openServer({ url });
    const answer = roll();
    await time.pass(5_000);
    expect(shown(await answer)).to.equal(
      `500 simulator_failed the simulator at ${url} did not answer within 5 s`,
    );
  });

  it('is unknown to a server without a simulator, and in none of its documents', async () => {
    const { port, roll } = await openServer();
    expect(shown(await roll())).to.include('404 unknown_route');
    expect(await pathsOf(port)).to.not.include('/api/dice/{address}/roll');
    expect((await request(port, '/health')).body).to.include({ simulator: false });
  });

  it('is in the documents of a server with a simulator', async () => {
    const { port } = await openServer({ url: 'http://127.0.0.1:1/' });
    expect(await pathsOf(port)).to.include('/api/dice/{address}/roll');
    expect((await request(port, '/health')).body).to.include({ simulator: true });
  });

  const pathsOf = async (port: number): Promise<readonly string[]> =>
    Object.keys(((await request(port, '/openapi.json')).body as { readonly paths: object }).paths);
});
