/** Virtual devices on the air, in cases that the features do not cover. */
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import type { Advertisement } from '../../src/ble/ports.js';
import {
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  CLOCK_SERVICE,
  DATA_WRITE,
  READING_SERVICE_DATA,
  XIAOMI_SERVICE_DATA,
  decodeReadingAdvertisement,
  encodeCommand,
} from '../../src/protocols/cgd1/index.js';
import { right } from '../support/either.js';
import {
  DIE,
  closeAll,
  connect,
  linkTo,
  nextAdvertisement,
  openFixture,
  radioIn,
} from './control-fixture.js';

afterEach(closeAll);

describe('virtual die on the air', () => {
  it('does not advertise when its adapter truncates events, and affects no other device', async () => {
    const { call } = await openFixture();
    const cut = { device: DIE, type: 'truncated_event', bytes: 0 };
    expect((await call('POST', '/faults', cut)).status).to.equal(200);
    await call('POST', `/devices/${DIE}/actions`, { type: 'sleep' });
    await call('POST', `/devices/${DIE}/actions`, { type: 'wake' });
    const [fault] = (await call('GET', '/faults')).json as { hits: number }[];
    expect(fault?.hits).to.be.greaterThan(0);
    expect((await call('GET', `/devices/${DIE}`)).status).to.equal(200);
  });

  it('advertises but refuses links if that is its behaviour', async () => {
    const radio = await radioIn(await openFixture([{ kind: 'dice', behaviour: { refuse_links: true } }]));
    await nextAdvertisement(radio);
    expect(E.isLeft(await connect(radio)())).to.be.true;
  });

  it("loses its link when the host's adapter has no power or when it is deleted itself", async () => {
    const rig = await openFixture();
    const radio = await radioIn(rig);
    const first = await linkTo(radio);
    const off = { id: 'hci0', powered: false };
    expect((await rig.call('POST', '/adapters/hci0', { powered: false })).json).to.deep.equal(off);
    await first.ended();
    await rig.call('POST', '/reset', {});
    const second = await linkTo(radio);
    await rig.call('DELETE', `/devices/${DIE}`);
    expect((await second.ended())._tag).to.equal('LinkLost');
  });
});

const CLOCK = '58:2D:34:00:00:01';

const advertises =
  (uuid: string) =>
  ({ serviceData }: Advertisement): boolean =>
    serviceData.some((entry) => entry.uuid === uuid);

/** A clock in a world, and a radio that has received its advertisement. */
const receivedClock = async (start: object) => {
  const rig = await openFixture([{ kind: 'clock', ...start }]);
  const radio = await radioIn(rig);
  const { serviceData } = await nextAdvertisement(radio, CLOCK, advertises(READING_SERVICE_DATA));
  const model = async () => (await rig.call('GET', `/devices/${CLOCK}`)).json;
  return { ...rig, radio, model, data: serviceData[0]?.data ?? Buffer.alloc(0) };
};

describe('virtual clock on the air', () => {
  it('advertises like other firmware', async () => {
    const { data } = await receivedClock({
      battery: 42,
      advertised_header: '88',
      advertised_battery_flag: true,
    });
    const reading = right(decodeReadingAdvertisement(data));
    expect(reading).to.deep.include({ header: 0x88, battery: 42, batteryFlag: true });
  });

  it('notifies its battery level only if that is its behaviour, and does not advertise during a link', async () => {
    const { call, radio, model } = await receivedClock({ battery: 42 });
    const battery = { address: CLOCK, service: BATTERY_SERVICE, write: BATTERY_LEVEL, notify: BATTERY_LEVEL };
    const { link, next } = await linkTo(radio, battery);
    expect(await model()).to.deep.include({ connected: true, advertising: false, subscribed: ['2a19'] });
    const lose = (level: number) => call('POST', `/devices/${CLOCK}/actions`, { type: 'battery', level });
    const behave = (battery_service: string) =>
      call('PUT', `/devices/${CLOCK}/behaviour`, { battery_service });
    await lose(41);
    await behave('true');
    await lose(40);
    await behave('constant');
    await lose(39);
    expect(right(await link.read(BATTERY_LEVEL)())).to.deep.equal(Buffer.from('63', 'hex'));
    expect(await next(3)).to.deep.equal(['29', '28', '63']);
    await link.disconnect();
    await nextAdvertisement(radio, CLOCK, advertises(READING_SERVICE_DATA));
    await nextAdvertisement(radio, CLOCK, advertises(XIAOMI_SERVICE_DATA));
    expect(await model()).to.deep.include({ connected: false, advertising: true, subscribed: [] });
  });

  it('refuses a block that does not fit its packets', async () => {
    const { radio, world, model } = await receivedClock({ behaviour: { mtu: 100 } });
    const profile = { service: CLOCK_SERVICE, characteristics: [AUTH_WRITE, DATA_WRITE] };
    const link = right(await radio.connect(CLOCK, [profile])());
    const token = Buffer.alloc(16, 7);
    for (const command of [{ _tag: 'AuthInit', token } as const, { _tag: 'AuthConfirm', token } as const])
      right(await link.write(AUTH_WRITE, encodeCommand(command))());
    right(
      await link.write(DATA_WRITE, encodeCommand({ _tag: 'AudioInit', size: 640, signature: 'deaddead' }))(),
    );
    const refused = new Promise<void>((resolve) => {
      world.listen((news) => news.includes('"type":"refused"') && resolve());
    });
    const written = link.write(DATA_WRITE, encodeCommand({ _tag: 'AudioBlock', data: Buffer.alloc(128) }))();
    await refused;
    // noble ignores the refusal.
    await link.disconnect();
    expect(E.isLeft(await written)).to.be.true;
    expect(await model())
      .to.have.property('commands')
      .that.does.not.have.property('audio_block');
  });
});

describe('virtual clock: the control API', () => {
  it('shows the settings from its start', async () => {
    const settings = { volume: 5, timezone_offset_minutes: 345, night_start: '21:15', ringtone: 'EA2D4C02' };
    const { call } = await openFixture([
      { kind: 'clock', settings, settings_hex: '03ffff09000fa5160007000101ff00000000' },
    ]);
    const { json } = await call('GET', `/devices/${CLOCK}`);
    expect(json).to.deep.include({
      name: 'Qingping Alarm Clock',
      settings_hex: '05ffff093a0fa5150f07000101ffea2d4c02',
    });
    expect(json).to.have.nested.property('settings.timezone_offset_minutes', 348);
  });
});
