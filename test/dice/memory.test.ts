import { copyFileSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import type { DieRecord } from '../../src/dice/contract.js';
import { RED, startFixture, type DiceFixture } from '../support/dice-fixture.js';
import { newFolder } from '../support/folders.js';
import { keeper } from '../support/keep.js';
import { FakePixels } from './drivers/pixels/fake-pixels.js';

const BLUE = 'D1:CE:00:00:00:02';

describe('The memory of a dice server', () => {
  const keep = keeper();
  let fixture: DiceFixture;
  beforeEach(async () => {
    fixture = keep(await startFixture({ folder: newFolder() }));
    // The answer waits until the memory is read.
    await fixture.get('/api/dice');
  });

  it('has a die as it was when a later packet does not tell its maker', async () => {
    const die = fixture.radio.put(new FakePixels(RED, fixture.radio));
    const read = async (): Promise<DieRecord | undefined> =>
      ((await fixture.get('/api/dice')).body as readonly DieRecord[])[0];
    const before = await read();
    expect(before).to.include({ address: RED, maker: 'Pixels' });
    fixture.time.advance(1_000);
    const nothing = { name: null, serviceUuids: [], manufacturerData: null, serviceData: [] };
    fixture.radio.advertise(die, nothing);
    expect(await read()).to.deep.equal({ ...before, last_seen: '2026-01-02T03:04:06.000Z' });
  });

  it('tells how many dice it has heard since a time', () => {
    fixture.radio.add(RED);
    fixture.time.advance(1_000);
    const since = fixture.time.date().getTime();
    fixture.radio.add(BLUE);
    const { heardSince } = fixture.server;
    expect([since - 1_000, since, since + 1].map(heardSince)).to.deep.equal([2, 1, 0]);
  });

  it('has no shell for a die that advertises its type', async () => {
    const die = fixture.radio.put(new FakePixels(RED, fixture.radio));
    const { status, body } = await fixture.patch(RED, { dice_type: 'd6' });
    expect(status).to.equal(400);
    expect(body).to.include({ code: 'wrong_dice_type' });
    expect((await fixture.patch(RED, { dice_type: 'd20' })).body).to.include({ dice_type: 'd20' });
    fixture.radio.forget(die);
    expect((await fixture.patch(RED, { dice_type: 'd6' })).status).to.equal(200);
    fixture.radio.advertise(die);
    expect((await fixture.get('/api/dice')).body).to.have.nested.property('[0].dice_type', 'd20');
  });

  it('has the shell that clients named last, by either request', async () => {
    fixture.radio.add(RED);
    const shown = async (): Promise<unknown> =>
      ((await fixture.get('/api/dice')).body as readonly DieRecord[])[0]?.dice_type;
    expect((await fixture.patch(RED, { dice_type: 'd8' })).body).to.include({ dice_type: 'd8' });
    const session_id = await fixture.connect(RED, 'd20');
    expect(await shown()).to.equal('d20');
    await fixture.post('/api/disconnect', { session_id });
    expect(await shown()).to.equal('d20');
  });

  for (const accept of ['application/json', 'application/x-ndjson', 'text/csv']) {
    it(`answers without a store that there are no rolls, also as ${accept}`, async () => {
      const forgetful = keep(await startFixture());
      const init = { method: 'GET', headers: { accept } };
      const { status, body } = await forgetful.post('/api/rolls', undefined, init);
      expect(status).to.equal(503);
      expect(body).to.include({ code: 'history_unavailable' });
    });
  }

  describe('in a store that cannot be changed', () => {
    const broken = (): string => {
      const folder = newFolder();
      mkdirSync(join(folder, 'dice.sqlite'));
      return folder;
    };
    for (const [title, folder] of [
      ['without a store', () => undefined],
      ['with a store that failed', broken],
    ] as const)
      it(`refuses to forget ${title}, with no effect; labels and kept dice go on in memory`, async () => {
        const path = folder();
        const forgetful = keep(await startFixture(path === undefined ? {} : { folder: path }));
        await forgetful.get('/api/dice');
        forgetful.radio.add(RED);
        const change = { label: 'Red', keep_connected: true };
        expect((await forgetful.patch(RED, change)).body).to.include(change);
        for (const at of [`/api/dice/${RED}`, `/api/dice/${BLUE}`, `/api/rolls?address=${RED}`]) {
          const { status, body } = await forgetful.post(at, undefined, { method: 'DELETE' });
          expect(status, at).to.equal(503);
          expect(body, at).to.include({ code: 'history_unavailable' });
        }
        expect((await forgetful.get('/api/dice')).body).to.have.length(1);
        expect((await forgetful.patch(RED, { keep_connected: true })).body).to.include(change);
      });
  });

  it('deletes a die with its label in one step, also if the server is killed thereafter', async () => {
    const folder = newFolder();
    const server = await startFixture({ folder });
    await server.get('/api/dice');
    server.radio.add(RED);
    await server.patch(RED, { label: 'Red' });
    expect((await server.post(`/api/dice/${RED}`, undefined, { method: 'DELETE' })).status).to.equal(200);
    const killed = newFolder();
    for (const file of readdirSync(folder)) copyFileSync(join(folder, file), join(killed, file));
    await server.close();
    const after = keep(await startFixture({ folder: killed }));
    await after.get('/api/dice');
    after.radio.add(RED);
    expect((await after.get('/api/dice')).body).to.have.nested.property('[0].label', null);
  });
});
