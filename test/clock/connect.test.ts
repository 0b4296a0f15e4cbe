import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { TOKENS_FILE } from '../../src/clock/tokens/token-store.js';
import { type ClockFixture, eachFixture, KITCHEN, LIMITS, startFixture } from '../support/clock-fixture.js';
import { newFolder } from '../support/folders.js';
import type { ClockBehaviour } from '../../simulators/devices/cgd1/behaviour.js';
import type { FakeClock } from '../support/fake-clock.js';
import type { ClockClient } from '../../simulators/testing/internal/clock-client.js';

const connect = { type: 'connect', address: KITCHEN };

const stored = (folder: string): unknown => JSON.parse(readFileSync(join(folder, TOKENS_FILE), 'utf8'));

describe('connect', () => {
  let fixture: ClockFixture;
  let client: ClockClient;
  eachFixture((started) => ({ fixture, client } = started));

  const devices = async (): Promise<unknown> => (await fixture.get('/api/devices')).body;

  it('pairs a new clock, proves the token by a read of the settings, and stores the token', async () => {
    const device = fixture.add(KITCHEN);
    expect(await client.succeed(connect)).to.deep.equal({ address: KITCHEN, connected: true, paired: true });
    expect(device.commands.map(({ _tag }) => _tag)).to.deep.equal([
      'AuthInit',
      'AuthConfirm',
      'ReadSettings',
    ]);
    const token = device.state.token?.toString('hex');
    expect(token).to.match(/^[0-9a-f]{32}$/);
    expect(stored(fixture.folder)).to.deep.equal({
      version: 1,
      clocks: { [KITCHEN]: { token, state: 'proven' } },
    });
    expect(await devices()).to.deep.equal([{ address: KITCHEN, name: 'Qingping Alarm Clock', rssi: -60 }]);
  });

  it('succeeds with a clock that does not acknowledge the steps', async () => {
    const device = fixture.add(KITCHEN);
    device.become({ token: Buffer.alloc(16, 1) });
    device.behave({ silent_commands: ['AuthInit'] });
    const answer = client.succeed(connect);
    await fixture.time.pass(2_000);
    expect(await answer).to.include({ connected: true });
  });

  it('waits for the packets of a clock with its name and its reading', async () => {
    const device = fixture.add(KITCHEN, false);
    const answer = client.succeed(connect);
    await fixture.radio.heard(device, { serviceData: [] });
    await fixture.time.armed(3_000);
    fixture.radio.advertise(device);
    await answer;
    expect(await client.succeed({ type: 'read_battery', address: KITCHEN })).to.include({
      battery: 85,
      source: 'advertisement',
    });
  });

  it('waits for the new name of a clock if its first packet after a while has none', async () => {
    const device = await fixture.connected(KITCHEN, client);
    await client.succeed({ type: 'disconnect', address: KITCHEN });
    device.name = 'Kitchen';
    fixture.radio.forget(device);
    const answer = client.succeed(connect);
    await fixture.radio.heard(device, { name: null });
    await fixture.time.armed(3_000);
    fixture.radio.advertise(device);
    await answer;
    expect(await devices()).to.deep.equal([{ address: KITCHEN, name: 'Kitchen', rssi: -60 }]);
  });

  it('does not wait for ever for the name and the reading of a clock', async () => {
    const device = fixture.add(KITCHEN, false);
    device.name = null;
    device.advertisesReading = false;
    const answer = client.succeed(connect);
    await fixture.radio.heard(device);
    await fixture.time.pass(3_000);
    await answer;
    expect(await devices()).to.deep.equal([{ address: KITCHEN, name: '', rssi: -60 }]);
  });

  it('leaves nothing but the token behind when the link is lost meanwhile', async () => {
    const device = fixture.add(KITCHEN);
    device.holds.add('ReadSettings');
    const answer = client.fail(connect);
    await fixture.radio.until(() => device.sent('ReadSettings').length === 1);
    device.lose();
    expect(await answer).to.equal(`the link to device ${KITCHEN} was lost, reason 0x08`);
    expect(await devices()).to.deep.equal([]);
    device.release();
    expect(await client.succeed(connect)).to.include({ paired: true });
  });

  describe('to a clock that is bound to another token', () => {
    const foreignToken = Buffer.alloc(16, 0xc0);

    const refused = async (mode: ClockBehaviour['wrong_token']): Promise<FakeClock> => {
      const device = fixture.add(KITCHEN);
      device.become({ token: foreignToken });
      device.behave({ wrong_token: mode });
      const answer = client.fail(connect);
      if (mode === 'silence') await fixture.time.pass(LIMITS.answer);
      const error = await answer;
      expect(error).to.match(/^auth_failed: /);
      expect(error).to.contain(KITCHEN).and.to.contain('reset');
      expect(device.link).to.equal(undefined);
      expect(await devices()).to.deep.equal([]);
      expect(await client.fail({ type: 'read_firmware', address: KITCHEN })).to.equal(
        `device ${KITCHEN} is not connected`,
      );
      return device;
    };

    for (const mode of ['silence', 'drop', 'reject'] as const) {
      it(`keeps a proven token (${mode})`, async () => {
        const first = await fixture.connected(KITCHEN, client);
        const token = first.state.token;
        await client.succeed({ type: 'disconnect', address: KITCHEN });
        const before = stored(fixture.folder);
        const device = await refused(mode);
        expect(stored(fixture.folder)).to.deep.equal(before);
        device.become({ token });
        expect(await client.succeed(connect)).to.include({ paired: false });
      });
    }

    it('drops a refused pending token, and keeps a pending token without a response', async () => {
      await refused('reject');
      expect(stored(fixture.folder)).to.deep.equal({ version: 1, clocks: {} });
      await refused('silence');
      expect(stored(fixture.folder)).to.have.nested.property(`clocks.${KITCHEN}.state`, 'pending');
    });
  });

  it('fails at once when the clock refuses the proof, and keeps the token', async () => {
    const device = fixture.add(KITCHEN);
    device.behave({ refused_commands: ['ReadSettings'] });
    expect(await client.fail(connect)).to.match(/^auth_failed: /);
    expect(device.link).to.equal(undefined);
    expect(stored(fixture.folder)).to.have.nested.property(`clocks.${KITCHEN}.state`, 'pending');
  });

  it('fails with the reason when the token cannot be stored, before the clock sees it', async () => {
    const device = fixture.add(KITCHEN);
    rmSync(fixture.folder, { recursive: true });
    writeFileSync(fixture.folder, '');
    expect(await client.fail(connect))
      .to.contain('the token store')
      .and.to.contain('cannot be used');
    expect(device.commands).to.deep.equal([]);
  });

  describe('when a client disconnects the clock meanwhile', () => {
    const disconnect = { type: 'disconnect', address: KITCHEN };
    const meanwhile = `device ${KITCHEN} is not connected: a client disconnected it meanwhile`;
    let other: ClockClient;
    beforeEach(async () => {
      other = await fixture.client();
    });

    const stages: Readonly<Record<string, (device: FakeClock) => Promise<unknown>>> = {
      'during the search for the clock': () => fixture.radio.heeded,
      'while the link is made': (device) => {
        device.holdConnect = true;
        fixture.radio.advertise(device);
        return fixture.radio.until(() => device.connects === 1);
      },
      'while its token is proven': (device) => {
        device.holds.add('ReadSettings');
        fixture.radio.advertise(device);
        return fixture.radio.until(() => device.sent('ReadSettings').length === 1);
      },
    };
    for (const [stage, reached] of Object.entries(stages)) {
      it(`ends the attempt for all waiting clients ${stage}`, async () => {
        const device = fixture.add(KITCHEN, false);
        const first = client.fail(connect);
        await fixture.radio.heeded;
        const second = other.fail(connect);
        await reached(device);
        expect(await other.succeed(disconnect)).to.deep.equal({ address: KITCHEN, disconnected: true });
        expect(await Promise.all([first, second])).to.deep.equal([meanwhile, meanwhile]);
        expect(device.link).to.equal(undefined);
        expect(fixture.radio.listeners.size).to.equal(0);
        expect(await client.fail(disconnect)).to.equal(`device ${KITCHEN} is not connected`);
      });
    }

    it('does not end the next attempt', async () => {
      const device = fixture.add(KITCHEN);
      device.holdConnect = true;
      const first = client.fail(connect);
      await fixture.radio.until(() => device.connects === 1);
      const ended = other.succeed(disconnect);
      device.holdConnect = false;
      const second = other.succeed(connect);
      await ended;
      expect(await first).to.equal(meanwhile);
      expect(await second).to.include({ connected: true });
    });
  });
});

describe('a first pairing that is killed at any step', () => {
  it('leaves a store with which the clock can be connected', async () => {
    const fixture = await startFixture();
    const client = await fixture.client();
    const device = fixture.add(KITCHEN);
    const snapshots: {
      readonly step: string;
      readonly folder: string;
      readonly bound: Buffer | null;
    }[] = [];
    const snapshot = (step: string): void => {
      const folder = newFolder();
      cpSync(fixture.folder, folder, { recursive: true });
      snapshots.push({ step, folder, bound: device.state.token });
    };
    device.onCommand = ({ _tag }) => {
      snapshot(`before ${_tag}`);
      // The clock performs a command after it has received it.
      if (_tag === 'AuthConfirm') device.become({ token: device.state.token ?? Buffer.alloc(16, 1) });
      snapshot(`after ${_tag}`);
    };
    await client.succeed({ type: 'connect', address: KITCHEN });
    snapshot('at the end');
    await fixture.close();
    expect(snapshots).to.have.length(7);

    for (const { step, folder, bound } of snapshots) {
      const next = await startFixture({ folder, firstToken: 9 });
      const again = next.add(KITCHEN);
      again.become({ token: bound });
      const { error } = await (await next.client()).send({ type: 'connect', address: KITCHEN });
      expect(error, step).to.equal(null);
      await next.close();
    }
  });
});
