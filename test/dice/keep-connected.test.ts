import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { NO_FLEET, type Fleet } from '../../src/mqtt/index.js';
import { LIMITS, RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import type { FakeDie } from '../support/fake-die.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';

const MINUTE = 60_000;
const kept = { keep_connected: true };
const left = { keep_connected: false };

describe('keep_connected of a die', () => {
  const keep = keeper();
  let folder: string;
  let fixture: DiceFixture;
  let die: FakeDie;
  beforeEach(async () => {
    folder = newFolder();
    fixture = keep(await startFixture({ folder }));
    // The answer waits until the memory is read.
    await fixture.get('/api/dice');
    die = fixture.radio.add(RED);
  });

  const set = async (body: object): Promise<void> => {
    expect((await fixture.patch(RED, body)).body).to.include(body);
  };
  const sessions = async (): Promise<readonly unknown[]> =>
    (await fixture.get('/api/sessions')).body as readonly unknown[];
  const disconnect = (id: string) => fixture.post('/api/disconnect', { session_id: id });
  const linked = (): Promise<void> => fixture.radio.until(() => die.link !== undefined);
  /** Loses the die, which sleeps for much longer than `--reconnect-secs`. */
  const sleep = async (): Promise<void> => {
    die.lose();
    fixture.radio.forget(die);
    for (let slept = 0; slept < 10 * LIMITS.reconnect; slept += 30_000) {
      fixture.time.advance(30_000);
      await fixture.get('/health');
    }
  };
  /** Advertises the die where nothing listens for it. */
  const expectUnheeded = async (): Promise<void> => {
    fixture.radio.advertise(die);
    expect(fixture.radio.listeners.size).to.equal(0);
    expect(await sessions()).to.deep.equal([]);
  };

  it('connects it as soon as it advertises, and is remembered', async () => {
    fixture.radio.forget(die);
    await set(kept);
    await sleep();
    await fixture.radio.heard(die);
    await linked();
    await fixture.close();
    fixture = keep(await startFixture({ folder }));
    die = fixture.radio.add(RED, { advertised: false });
    await fixture.radio.heard(die);
    await linked();
  });

  it('connects it once the file of the server can be read, which another server used', async () => {
    const other = keep(await startFixture({ folder }));
    await other.get('/api/dice');
    await set(kept);
    await fixture.close();
    other.time.advance(MINUTE);
    await other.get('/api/rolls');
    die = other.radio.add(RED, { advertised: false });
    await other.radio.heard(die);
    await other.radio.until(() => die.link !== undefined);
    expect((await other.get('/health')).body).to.have.nested.property('store.state', 'ok');
  });

  it('lifts the limit of a loss that began before the file could be read', async () => {
    const other = keep(await startFixture({ folder }));
    const late = other.radio.add(RED);
    const id = await other.connect(RED);
    await set(kept);
    await fixture.close();
    other.time.advance(MINUTE);
    late.lose();
    const lostUntil = async () => {
      const { body } = await other.get(`/api/status/${id}?detail=full`);
      return (body as { readonly lost_until: string | null }).lost_until;
    };
    expect(await lostUntil()).to.be.a('string');
    while ((await lostUntil()) !== null) await other.get('/api/rolls');
    expect((await other.get('/health')).body).to.have.nested.property('store.state', 'ok');
  });

  it('lets its session outlast a loss, also one that has begun', async () => {
    const id = await fixture.connect(RED);
    die.lose();
    fixture.radio.forget(die);
    await set(kept);
    await sleep();
    fixture.radio.advertise(die);
    expect(await fixture.connect(RED)).to.equal(id);
  });

  it('ends its session after --reconnect-secs of a loss once it is false, also of one that has begun', async () => {
    for (const loss of ['begun', 'later']) {
      await set(kept);
      await fixture.connect(RED);
      if (loss === 'begun') die.lose();
      await set(left);
      die.lose();
      fixture.radio.forget(die);
      await fixture.time.armed(LIMITS.reconnect);
      fixture.time.advance(LIMITS.reconnect - 1);
      expect(await sessions(), loss).to.have.length(1);
      fixture.time.advance(1);
      while ((await sessions()).length > 0);
      await expectUnheeded();
    }
  });

  it('gives way to a disconnect until a client connects the die', async () => {
    await set(kept);
    await disconnect(await fixture.connect(RED));
    await expectUnheeded();
    const id = await fixture.connect(RED);
    await sleep();
    fixture.radio.advertise(die);
    expect(await fixture.connect(RED)).to.equal(id);
  });

  it('connects a die that a client has disconnected when it is set again', async () => {
    await set(kept);
    await disconnect(await fixture.connect(RED));
    await expectUnheeded();
    await set(kept);
    await fixture.radio.heard(die);
    await linked();
  });

  it('connects a die that a client has disconnected when the server starts again', async () => {
    await set(kept);
    await disconnect(await fixture.connect(RED));
    await fixture.close();
    fixture = keep(await startFixture({ folder }));
    die = fixture.radio.add(RED);
    await fixture.radio.heard(die);
    await linked();
  });

  it('ends when the die is forgotten, whose session goes on', async () => {
    await set(kept);
    await fixture.connect(RED);
    expect((await fixture.post(`/api/dice/${RED}`, undefined, { method: 'DELETE' })).status).to.equal(200);
    die.lose();
    fixture.radio.forget(die);
    expect(await sessions()).to.have.length(1);
    await fixture.time.pass(LIMITS.reconnect);
    while ((await sessions()).length > 0);
    await expectUnheeded();
  });

  it('asks no other server about a die that cannot be connected', async () => {
    const asked: string[] = [];
    const linkedNeighbour: Fleet['linkedNeighbour'] = (address) => () => {
      asked.push(address);
      return Promise.resolve('other');
    };
    await set(kept);
    await fixture.close();
    fixture = keep(await startFixture({ folder, fleet: { ...NO_FLEET, linkedNeighbour } }));
    die = fixture.radio.add(RED, { advertised: false });
    die.connectFailures.push({ _tag: 'ConnectFailed', address: RED, reason: 'no answer' });
    await fixture.radio.heard(die);
    await fixture.time.armed(2_000);
    expect({ asked, connects: die.connects }).to.deep.equal({ asked: [], connects: 1 });
  });
});
