import { openRadio, type Advertisement, type Link, type Radio } from 'airbench/central';
import { expect } from 'chai';
import * as E from 'fp-ts/lib/Either.js';
import { after, before, describe, it } from 'mocha';
import { startWorld } from './world.js';

const ADDRESS = 'C0:DE:00:00:00:01';
const PROFILE = [{ service: '180d', characteristics: ['2a37', '2a38', '2a39'] }];

const right = <A>(result: E.Either<unknown, A>): A => {
  if (E.isLeft(result)) expect.fail(JSON.stringify(result.left));
  return result.right;
};

describe('A heart-rate strap', () => {
  let world: Awaited<ReturnType<typeof startWorld>>;
  let central: Radio;
  let found: Advertisement;
  let link: Link;
  /** Told of every beat, in hex. */
  let heard = (_beat: string): void => undefined;

  /** Resolves with the next beat that is `wanted`. */
  const beat = (wanted: RegExp): Promise<string> =>
    new Promise((resolve) => {
      heard = (value) => {
        if (wanted.test(value)) resolve(value);
      };
    });

  /** An action on the strap. */
  const call = async (method: string, path: string, body: object) => {
    const answer = await fetch(`http://127.0.0.1:${world.controlPort}/devices/${ADDRESS}/${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  };

  before(async () => {
    world = await startWorld();
    central = right(
      await openRadio({
        hci: { kind: 'tcp', host: '127.0.0.1', port: world.hciPort },
        limits: { connect: 5000, discover: 5000, gatt: 5000 },
        warn: (message) => expect.fail(message),
      })(),
    );
    found = await new Promise((resolve) => {
      const stop = central.listen((advertisement) => {
        stop();
        resolve(advertisement);
      });
    });
    link = right(await central.connect(ADDRESS, PROFILE)());
    right(await link.subscribe('2a37', (value) => heard(value.toString('hex')))());
  });

  after(async () => {
    await central.close();
    await world.close();
  });

  for (const name of ['hciPort', 'controlPort'] as const) {
    it(`names a port that is in use (${name})`, async () => {
      const taken = world[name];
      const ports = name === 'hciPort' ? [taken, 0] : [0, taken];
      const why = await startWorld({ pace: 'fast' }, ...ports).catch(String);
      expect(why).to.equal(
        `Error: port ${taken} of 127.0.0.1 is in use: stop what uses it or choose another port`,
      );
    });
  }

  it('is found by its service and its name', () => {
    expect(found).to.include({ address: ADDRESS, name: 'Strap', connectable: true });
    expect(found.serviceUuids).to.deep.equal(['180d']);
  });

  it('tells each beat: contact, rate, energy, and the time since the last in 1/1024 s', async () => {
    // 72 a minute: 0.8333 s are 853 = 0x0355.
    expect(await beat(/^/)).to.equal('1e4805005503');
  });

  it('beats as fast as it is told to, in 16 bits where 8 do not hold the rate', async () => {
    const { status, json } = await call('POST', 'actions', { type: 'rate', bpm: 150 });
    expect(status).to.equal(200);
    expect(json).to.include({ kind: 'strap', connected: true, bpm: 150 });
    // 0.4 s are 410 = 0x019A.
    expect(await beat(/^..96/)).to.equal('1e9605009a01');
    await call('POST', 'actions', { type: 'rate', bpm: 300 });
    // 0x012C a minute, 0.2 s are 205 = 0x00CD.
    expect(await beat(/^1f/)).to.equal('1f2c010500cd00');
  });

  it('has no intervals to tell while it touches no skin', async () => {
    await call('POST', 'actions', { type: 'rate', bpm: 60 });
    await call('POST', 'actions', { type: 'contact', on: false });
    expect(await beat(/^0a/)).to.equal('0a3c0500');
    await call('POST', 'actions', { type: 'contact', on: true });
    expect(await beat(/^1e3c/)).to.equal('1e3c05000004');
  });

  it('names the wrong field of an action', async () => {
    expect(await call('POST', 'actions', { type: 'rate', bpm: 0 })).to.nested.include({
      status: 400,
      'json.error': 'bpm must be a whole number from 1 to 300, got 0',
      'json.code': 'invalid_input',
    });
    expect(await call('POST', 'actions', { type: 'rate', bmp: 150 })).to.nested.include({
      status: 400,
      'json.error': 'bmp is unknown here: it may be bpm',
      'json.code': 'invalid_input',
    });
  });

  it('is worn on the chest', async () => {
    expect(right(await link.read('2a38')())).to.deep.equal(Buffer.from([1]));
  });

  it('resets its energy when the host says so', async () => {
    right(await link.write('2a39', Buffer.from([1]))());
    expect(await beat(/^1e3c0000/)).to.equal('1e3c00000004');
  });

  it('tells no intervals while its behaviour is so', async () => {
    const { json } = await call('PUT', 'behaviour', { without_intervals: true });
    expect(json).to.deep.include({ behaviour: { without_intervals: true } });
    expect(await beat(/^0e/)).to.equal('0e3c0000');
    await call('PUT', 'behaviour', {});
    expect(await beat(/^1e/)).to.equal('1e3c00000004');
  });
});
