import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import {
  AUTH_NOTIFY,
  AUTH_WRITE,
  BATTERY_LEVEL,
  BATTERY_SERVICE,
  CLOCK_SERVICE,
  DATA_NOTIFY,
  DATA_WRITE,
  READING_NOTIFY,
  READING_SERVICE_DATA,
  XIAOMI_SERVICE_DATA,
  channelOf,
  decodeReadingAdvertisement,
  encodeCommand,
  type Command,
} from '../../src/protocols/cgd1/index.js';
import type { Advertisement, BleError, Radio } from '../../src/ble/ports.js';
import { openFixture, closeAll, radioIn } from './control-fixture.js';
import { right } from '../support/either.js';

afterEach(closeAll);

const CLOCK = '58:2D:34:00:00:01';
const token = Buffer.from('00112233445566778899aabbccddeeff', 'hex');
const block: Command = { _tag: 'AudioBlock', data: Buffer.alloc(128, 0x80) };

const profile = [
  {
    service: CLOCK_SERVICE,
    characteristics: [AUTH_WRITE, AUTH_NOTIFY, DATA_WRITE, DATA_NOTIFY, READING_NOTIFY],
  },
  { service: BATTERY_SERVICE, characteristics: [BATTERY_LEVEL] },
];

/** The next advertisement with that service data, and the data. */
const nextAdvertisement = (radio: Radio, uuid: string): Promise<Advertisement & { readonly data: Buffer }> =>
  new Promise((resolve) => {
    const stop = radio.listen((advertisement) => {
      const found = advertisement.serviceData.find((entry) => entry.uuid === uuid);
      if (advertisement.address !== CLOCK || advertisement.name === null || found === undefined) return;
      stop();
      resolve({ ...advertisement, data: found.data });
    });
  });

const characteristics = {
  auth: AUTH_NOTIFY,
  data: DATA_NOTIFY,
  reading: READING_NOTIFY,
  battery: BATTERY_LEVEL,
};

/** A host linked to the one clock of a world, and a hand at the clock. */
const linked = async (start: object = {}) => {
  const rig = await openFixture([{ kind: 'clock', ...start }]);
  const radio = await radioIn(rig);
  await nextAdvertisement(radio, READING_SERVICE_DATA);
  const link = right(await radio.connect(CLOCK, profile)());
  const said: string[] = [];
  let more = (): void => undefined;
  for (const [name, uuid] of Object.entries(characteristics)) {
    right(
      await link.subscribe(uuid, (value) => {
        said.push(`${name} ${value.toString('hex')}`);
        more();
      })(),
    );
  }
  /** The next notifications of the clock, `count` of them. */
  const next = async (count: number): Promise<readonly string[]> => {
    while (said.length < count) await new Promise<void>((resolve) => (more = resolve));
    return said.splice(0, count);
  };
  // It begins with what it measures.
  const [firstReading] = await next(1);
  const write = (command: Command) =>
    link.write(channelOf(command) === 'auth' ? AUTH_WRITE : DATA_WRITE, encodeCommand(command))();
  const send = async (command: Command): Promise<void> => right(await write(command));
  return {
    ...{ ...rig, radio, link, next, firstReading, write, send },
    authenticate: async () => {
      await send({ _tag: 'AuthInit', token });
      await send({ _tag: 'AuthConfirm', token });
      return next(2);
    },
    act: (action: object) => rig.call('POST', `/devices/${CLOCK}/actions`, action),
    model: async () => (await rig.call('GET', `/devices/${CLOCK}`)).json,
    ended: (): Promise<BleError> => new Promise((resolve) => link.onEnd(resolve)),
  };
};

describe('virtual clock on the air', () => {
  it('advertises its name, its readings and its address', async () => {
    const radio = await radioIn(
      await openFixture([{ kind: 'clock', temperature: -3.4, humidity: 51.7, battery: 42, rssi: -71 }]),
    );
    const { name, rssi, connectable, data } = await nextAdvertisement(radio, READING_SERVICE_DATA);
    expect({ name, rssi, connectable }).to.deep.equal({
      name: 'Qingping Alarm Clock',
      rssi: -71,
      connectable: true,
    });
    expect(data.toString('hex')).to.equal('080c010000342d580104deff05020201' + '2a');
  });

  it('advertises as other firmware does', async () => {
    const start = { kind: 'clock', battery: 42, advertised_header: '88', advertised_battery_flag: true };
    const radio = await radioIn(await openFixture([start]));
    const read = right(
      decodeReadingAdvertisement((await nextAdvertisement(radio, READING_SERVICE_DATA)).data),
    );
    expect(read).to.deep.include({ header: 0x88, battery: 42, batteryFlag: true });
  });

  it('notifies its battery level by GATT only if that is its behaviour', async () => {
    const { call, link, act, next } = await linked({ battery: 42 });
    await act({ type: 'battery', level: 41 });
    const behaviour = (battery_service: string) =>
      call('PUT', `/devices/${CLOCK}/behaviour`, { battery_service });
    await behaviour('true');
    await act({ type: 'battery', level: 40 });
    await behaviour('constant');
    await act({ type: 'battery', level: 39 });
    expect(right(await link.read(BATTERY_LEVEL)())).to.deep.equal(Buffer.from('63', 'hex'));
    expect(await next(3)).to.deep.equal(['battery 29', 'battery 28', 'battery 63']);
    expect((await behaviour('half')).json).to.deep.equal({
      error: 'battery_service must be constant or true, got "half"',
      code: 'invalid_input',
    });
  });

  it('never gets a block in full where the packets are small', async () => {
    const { authenticate, send, next, link, world, model } = await linked({ behaviour: { mtu: 100 } });
    await authenticate();
    await send({ _tag: 'AudioInit', size: 640, signature: 'deaddead' });
    await next(1);
    const refused = new Promise<void>((resolve) => {
      world.listen((news) => news.includes('"type":"refused"') && resolve());
    });
    const written = link.write(DATA_WRITE, encodeCommand(block))();
    await refused;
    // noble ignores the refusal.
    await link.disconnect();
    expect(E.isLeft(await written)).to.be.true;
    expect(await model())
      .to.have.property('commands')
      .that.does.not.have.property('audio_block');
  });

  it('does not advertise while it has a link, and does again after it', async () => {
    const { link, radio, model } = await linked();
    expect(await model()).to.deep.include({
      connected: true,
      advertising: false,
      subscribed: ['0002', '000c', '0100', '2a19'],
    });
    await link.disconnect();
    await nextAdvertisement(radio, READING_SERVICE_DATA);
    await nextAdvertisement(radio, XIAOMI_SERVICE_DATA);
    expect(await model()).to.deep.include({ connected: false, advertising: true, subscribed: [] });
  });
});

describe('virtual clock: the control API', () => {
  it('shows what it was given', async () => {
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
