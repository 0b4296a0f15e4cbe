/**
 * Each example of docs/examples/devices as noble receives it, held against its profile: numbers of services, characteristics and
 * appearances from the Assigned Numbers, layouts from the GATT Specification Supplement and the services themselves.
 */
import { readdirSync } from 'node:fs';
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { readJsonOrYaml } from '../../../src/system/yaml.js';
import type { Advertisement } from '../../../src/ble/ports.js';
import { right } from '../../support/either.js';
import { closeAll, nextAdvertisement, openFixture, radioIn, subscribedTo } from '../control-fixture.js';

afterEach(closeAll);

const FOLDER = 'docs/examples/devices';
const ADDRESS = 'F1:1E:00:00:00:01';
/** The service and the characteristic of the example with a passkey. */
const [LAMP, LIGHT] = ['19b10000e8f2537e4f6cd104768a1214', '19b10001e8f2537e4f6cd104768a1214'];

interface Profile {
  readonly name: string | null;
  readonly connectable: boolean;
  readonly services?: readonly string[];
  readonly manufacturerData?: RegExp;
  readonly serviceData?: RegExp;
  /** The attributes that a link finds. */
  readonly link?: {
    readonly service: string;
    readonly read?: Readonly<Record<string, string>>;
    /** Notifications to a host that has subscribed. */
    readonly notified?: Readonly<Record<string, RegExp>>;
  };
}

const profiles: Readonly<Record<string, Profile>> = {
  'heart-rate': {
    ...{ name: 'Strap', connectable: true, services: ['180d'] },
    link: {
      service: '180d',
      read: { '2a38': '01' },
      // 62 bpm, contact, 5 kJ; HRS 1.0 3.1.1.
      notified: { '2a37': /^0e3e0500$/ },
    },
  },
  battery: {
    ...{ name: 'Battery', connectable: true, services: ['180f'] },
    link: { service: '180f', notified: { '2a19': /^64$/ } },
  },
  thermometer: {
    ...{ name: 'Thermometer', connectable: true, services: ['1809'] },
    // 36.6 is 366 * 10^-1, of 24 and 8 bits (HTS 1.0 3.1.1.2); ear.
    link: { service: '1809', read: { '2a1d': '03' }, notified: { '2a1c': /^046e0100ff03$/ } },
  },
  keyboard: {
    ...{ name: 'Keyboard', connectable: true, services: ['1812'] },
    // HIDS 1.0 3.5: bcdHID 1.11, country 0, flags.
    link: { service: '1812', read: { '2a4a': '11010003', '2a4e': '01' } },
  },
  'eddystone-url': {
    ...{ name: null, connectable: false, services: ['feaa'] },
    // Frame 0x10, -20 dBm, https://, "example", .com/
    serviceData: /^feaa:10ec036578616d706c6500$/,
  },
  ibeacon: {
    ...{ name: null, connectable: false },
    manufacturerData: /^4c000215e2c56db5dffb48d2b060d0f5a71096e000010201c5$/,
  },
  'bthome-sensor': {
    ...{ name: 'Room', connectable: false },
    // Objects in the order of their numbers; 21.25 to 21.75 degrees are 0x084d to 0x087f.
    serviceData: /^fcd2:4000..015d02(?:[4-7].)0803..1[23]$/,
  },
  'uart-echo': {
    ...{ name: 'Echo', connectable: true, services: ['6e400001b5a3f393e0a9e50e24dcca9e'] },
  },
  'cycling-power': {
    ...{ name: 'Crank', connectable: true, services: ['1818'] },
    // Flags: crank revolution data; 195 to 225 W; one revolution, at 1 s (GSS 3.61).
    link: {
      service: '1818',
      read: { '2a65': '08000000', '2a5d': '05' },
      notified: { '2a63': /^2000(?:c[3-9a-f]|d.|e[01])0001000004$/ },
    },
  },
  'blood-pressure': {
    ...{ name: 'Cuff', connectable: true, services: ['1810'] },
    link: { service: '1810', read: { '2a49': '0000' } },
  },
  'led-with-passkey': {
    ...{ name: 'Lamp', connectable: true, services: [LAMP] },
    link: { service: LAMP, read: { [LIGHT]: '00' } },
  },
};

const open = async (example: string) => {
  const rig = await openFixture([right(readJsonOrYaml(`${FOLDER}/${example}.yaml`)) as object]);
  const radio = await radioIn(rig);
  const { name } = profiles[example] ?? {};
  const advertisement = await nextAdvertisement(radio, ADDRESS, (seen) => seen.name === name);
  const linkTo = async (service: string, characteristics: readonly string[]) =>
    right(await radio.connect(ADDRESS, [{ service, characteristics }])());
  const act = async (action: object) => rig.call('POST', `/devices/${ADDRESS}/actions`, action);
  return { ...rig, advertisement, linkTo, act };
};

const checkAdvertisement = (advertisement: Advertisement, profile: Profile): void => {
  const { services = [], manufacturerData = /^$/, serviceData = /^$/ } = profile;
  expect(advertisement.connectable).to.equal(profile.connectable);
  expect(advertisement.serviceUuids).to.deep.equal(services);
  expect(advertisement.manufacturerData?.toString('hex') ?? '').to.match(manufacturerData);
  const [first] = advertisement.serviceData;
  expect(first === undefined ? '' : `${first.uuid}:${first.data.toString('hex')}`).to.match(serviceData);
};

describe('The example devices', () => {
  it('all have a profile in this test', () => {
    const files = readdirSync(FOLDER).filter((name) => name.endsWith('.yaml'));
    expect(files.map((name) => name.replace('.yaml', ''))).to.have.members(Object.keys(profiles));
  });

  for (const [example, profile] of Object.entries(profiles)) {
    it(`${example} advertises, reads and notifies by its profile`, async () => {
      const { advertisement, linkTo } = await open(example);
      checkAdvertisement(advertisement, profile);
      const { link: expected } = profile;
      if (expected === undefined) return;
      const { service, read = {}, notified = {} } = expected;
      const link = await linkTo(service, [...Object.keys(read), ...Object.keys(notified)]);
      for (const [uuid, hex] of Object.entries(read)) {
        expect(right(await link.read(uuid)()).toString('hex'), uuid).to.equal(hex);
      }
      for (const [uuid, pattern] of Object.entries(notified)) {
        const next = await subscribedTo(link, uuid);
        expect((await next())[0], uuid).to.match(pattern);
      }
    });
  }

  it('uart-echo returns written text, and PING for ping', async () => {
    const { linkTo } = await open('uart-echo');
    const [service = '', rx = '', tx = ''] = [1, 2, 3].map((n) => `6e40000${n}b5a3f393e0a9e50e24dcca9e`);
    const link = await linkTo(service, [rx, tx]);
    const next = await subscribedTo(link, tx);
    for (const text of ['hello', 'ping']) right(await link.write(rx, Buffer.from(text), false)());
    const received = await next(2);
    expect(received.map((hex) => Buffer.from(hex, 'hex').toString())).to.deep.equal(['hello', 'PING']);
  });

  it('keyboard shows its keys to hosts that have paired, as noble does at the first refusal', async () => {
    const { linkTo, call } = await open('keyboard');
    const link = await linkTo('1812', ['2a4b']);
    expect((await call('GET', `/devices/${ADDRESS}`)).json).to.include({ security: 'open' });
    // Usage Page (Generic Desktop), Usage (Keyboard), Collection (Application): HID 1.11 Appendix B.1.
    expect(right(await link.read('2a4b')()).toString('hex')).to.match(/^05010906a101.*c0$/);
    expect((await call('GET', `/devices/${ADDRESS}`)).json).to.deep.include({
      security: 'encrypted',
      key_size: 16,
    });
  });

  it('blood-pressure indicates a measurement to a paired host at an action', async () => {
    const { linkTo, act } = await open('blood-pressure');
    expect(await act({ type: 'notify', characteristic: '2a35' })).to.deep.include({ status: 404 });
    const next = await subscribedTo(await linkTo('1810', ['2a35']), '2a35');
    await act({ type: 'notify', characteristic: '2a35' });
    // Flags; 1215 * 10^-1, 80, 94 mmHg, 62 a minute, of 12 and 4 bits (BLS 1.1 3.1.1).
    expect(await next()).to.deep.equal(['04bff450005e003e00']);
  });

  it('led-with-passkey refuses a host that pairs without a passkey', async () => {
    const { linkTo, call } = await open('led-with-passkey');
    const link = await linkTo(LAMP, [LIGHT]);
    expect(await link.write(LIGHT, Buffer.from([1]), false)()).to.have.property('_tag', 'Left');
    expect((await call('GET', `/devices/${ADDRESS}`)).json).to.deep.include({
      values: { '2a00': '4c616d70', '2a01': '0000', '2a05': '', light: '00' },
    });
  });
});
