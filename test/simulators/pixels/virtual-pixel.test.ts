import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { decodeNotification, PROFILES, profileIds } from '../../../src/protocols/pixels/index.js';
import { right } from '../../support/either.js';
import { itRefuses, closeAll, linkTo, nextAdvertisement, openFixture, radioIn } from '../control-fixture.js';

const PIXEL = 'F1:CE:00:00:00:01';

afterEach(closeAll);

const firmware = { legacy: '2024-11-07', current: '2025-01-03' } as const;

/** A host linked to the one die of a world, and a hand at the die. */
const linked = async (start: object = {}, profile: keyof typeof firmware = 'legacy') => {
  const world = await openFixture([{ kind: 'pixels', firmware: firmware[profile], ...start }]);
  const radio = await radioIn(world);
  const host = await linkTo(radio, { address: PIXEL, ...profileIds[profile] });
  const act = (action: object) => world.call('POST', `/devices/${PIXEL}/actions`, action);
  const model = async () => (await world.call('GET', `/devices/${PIXEL}`)).json;
  return { ...world, ...host, radio, act, model };
};

describe('virtual Pixels die on the air', () => {
  for (const profile of PROFILES) {
    it(`is found and identifies itself in the ${profile} profile`, async () => {
      const { radio, write, next, link } = await linked({ die: 'd12', face: 7, color: 'clear' }, profile);
      await write('01');
      const [answer = ''] = await next(1);
      expect(right(decodeNotification(Buffer.from(answer, 'hex')))).to.deep.include({
        ...{ _tag: 'IAmADie', profile, dieType: 'd12', faceIndex: 6, colorway: 'clear', pixelId: 1 },
      });
      await link.disconnect();
      const { name, serviceData, serviceUuids, connectable } = await nextAdvertisement(
        radio,
        PIXEL,
        (advertisement) => advertisement.serviceData.length > 0,
      );
      expect({ name, connectable }).to.deep.equal({ name: 'Pixel00000001', connectable: true });
      expect(serviceUuids).to.include(profileIds[profile].service);
      expect(serviceData.map(({ uuid, data }) => [uuid, data.toString('hex', 0, 4)])).to.deep.equal([
        ['180a', '01000000'],
      ]);
    });
  }

  it('advertises each 187.5 ms', async () => {
    const { call } = await openFixture([{ kind: 'pixels' }]);
    const { packets } = (await call('GET', '/trace/packets')).json as { packets: { hex: string }[] };
    const parameters = packets.find(({ hex }) => hex.startsWith('0106200F'));
    expect(parameters?.hex.slice(8, 16)).to.equal('2C012C01');
  });

  it('notifies turns, battery and charger', async () => {
    const { act, next, model } = await linked({ die: 'd20', face: 20 });
    await act({ type: 'turn', face: 12 });
    await act({ type: 'battery', level: 76 });
    await act({ type: 'charge', on: true });
    expect(await next(4)).to.deep.equal(['030213', '03050b', '224c00', '224c02']);
    expect(await model()).to.deep.include({ face: 12, roll_state: 'on_face', charging: true });
  });

  it('rolls onto the face that is asked for', async () => {
    const { act, next } = await linked({ die: 'd10x' });
    await act({ type: 'roll', face: 40, roll_ms: 0 });
    const messages = await next(4);
    expect(messages.at(-1)).to.equal('030104');
  });

  it('shows a blink in its model', async () => {
    const { write, next, model } = await linked({ die: 'd4' });
    await write('1d0160ea0000ff00ffffffff0001');
    expect(await next(1)).to.deep.equal(['1e']);
    expect(await model()).to.deep.include({
      leds: Array(6).fill('FF0000'),
      blink: {
        count: 1,
        duration_ms: 60_000,
        color: 'FF0000',
        face_mask: 'ffffffff',
        fade: 0,
        loop_count: 1,
      },
    });
  });

  it('advertises its new name after the link', async () => {
    const { write, next, link, radio, model } = await linked();
    await write(`33426f62${'00'.repeat(29)}`);
    expect(await next(1)).to.deep.equal(['34']);
    expect(await model()).to.deep.include({ name: 'Pixel00000001' });
    await link.disconnect();
    expect((await nextAdvertisement(radio, PIXEL)).name).to.equal('Bob');
    expect(await model()).to.deep.include({ name: 'Bob' });
  });

  it('drops the link when the host puts it to sleep, and comes back when woken', async () => {
    const { write, ended, act, radio, model } = await linked();
    const end = ended();
    await write('3502', true);
    await end;
    expect(await model()).to.deep.include({ connected: false, advertising: false, asleep: true });
    await act({ type: 'wake' });
    expect((await nextAdvertisement(radio, PIXEL)).name).to.equal('Pixel00000001');
  });

  itRefuses(
    `
    POST /devices/${PIXEL}/actions | {"type":"roll","face":7}            | 400 invalid_input face of a d6 must be one of 1, 2, 3, 4, 5, 6, got 7
    POST /devices/${PIXEL}/actions | {"type":"roll","ending":"tilt"}     | 400 invalid_input ending must be stable, move or none, got tilt: a d6 with firmware 2024-11-07 does not report that it lies crooked
    POST /devices | {"kind":"pixels","face":3}                           | 400 invalid_input face must be given with die, the type that has it
    POST /devices | {"kind":"pixels","die":"fudge","face":2}             | 400 invalid_input face of a fudge must be one of -1, 0, 1, got 2
    POST /devices | {"kind":"pixels","pixel_id":"00000000"}              | 400 invalid_input pixel_id must be eight hex digits, not all of them 0, got "00000000"
    `,
    () => openFixture([{ kind: 'pixels', die: 'd6' }]),
  );

  it('is of another type and colour at each address, unless they are given', async () => {
    const { call } = await openFixture(Array<object>(3).fill({ kind: 'pixels' }));
    const models = await Promise.all(
      [1, 2, 3].map(async (n) => (await call('GET', `/devices/F1:CE:00:00:00:0${n}`)).json),
    );
    const shown = (models as Record<string, unknown>[]).map(({ die, color }) => [die, color]);
    expect(shown).to.deep.equal([
      ['d20', 'onyx_black'],
      ['d12', 'hematite_grey'],
      ['d10', 'midnight_galaxy'],
    ]);
  });
});
