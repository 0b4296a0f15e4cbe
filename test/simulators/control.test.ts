import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import * as E from 'fp-ts/lib/Either.js';
import { HttpClient } from '../../simulators/testing/internal/http-client.js';
import { Listener } from '../../simulators/testing/internal/listener.js';
import { decodeSpecs } from '../../simulators/control/index.js';
import type { Packets } from '../../simulators/packets/index.js';
import { DIE, openFixture, closeAll, itRefuses, radioIn, linkTo } from './control-fixture.js';

afterEach(closeAll);

const NOBODY = 'D1:CE:00:00:00:99';

describe('control API: the air', () => {
  it('shows the tokens of clocks in the capture only to clients that request them', async () => {
    const { air, url, call } = await openFixture();
    const token = '000102030405060708090a0b0c0d0e0f';
    const writes = ['1101', '1102'].map((message) => `40201900150004001209 00${message}${token}`);
    for (const write of writes) {
      const acl = Buffer.from(write.replace(' ', ''), 'hex');
      air.trace?.fromHost(7, Buffer.concat([Buffer.from([2]), acl]));
      air.trace?.toHost(8, Buffer.concat([Buffer.from([2]), acl]));
    }
    // The time, which is not secret.
    air.trace?.fromHost(7, Buffer.from('0240200d00090004001209000509aabbccdd', 'hex'));
    const capture = async (query: string): Promise<string> =>
      (await new HttpClient(url).get(`/trace${query}`)).bytes.toString('hex');
    const words = async (query: string): Promise<string> =>
      JSON.stringify((await call('GET', `/trace/packets?limit=100${query}`)).json).toLowerCase();
    const [masked, shown] = [await capture(''), await capture('?tokens=shown')];
    expect(shown.split(token)).to.have.length(5);
    expect(masked).to.equal(shown.replaceAll(token, '00'.repeat(16)));
    expect(masked).to.contain('0509aabbccdd');
    expect(await words(''))
      .to.contain('0509aabbccdd')
      .and.not.contain(token);
    expect((await words('&tokens=shown')).split(token)).to.have.length(5);
    expect((await call('GET', '/trace?tokens=all')).status).to.equal(400);
  });

  it('returns the capture packet by packet', async () => {
    const rig = await openFixture();
    await radioIn(rig);
    const first = await rig.call('GET', '/trace/packets?since=0&limit=2');
    const { packets, dropped, newest } = first.json as Packets;
    expect(packets.map(({ number, adapter, summary }) => [number, adapter, summary])).to.deep.equal([
      [1, DIE, `New Index, ${DIE}, ${DIE}`],
      [2, DIE, 'Set Event Mask'],
    ]);
    expect(dropped).to.equal(0);
    expect(newest).to.be.above(20);
    const { json } = await rig.call('GET', '/trace/packets?limit=1');
    expect((json as Packets).packets).to.have.length(1);
    for (const wrong of ['since=-1', 'limit=0', 'limit=1001', 'since=x']) {
      expect((await rig.call('GET', `/trace/packets?${wrong}`)).status, wrong).to.equal(400);
    }
  });

  it('lists no devices for an adapter that is off, even before they lose their links', async () => {
    const rig = await openFixture();
    const radio = await radioIn(rig);
    const adapter = async (): Promise<unknown> =>
      ((await rig.call('GET', '/adapters')).json as readonly unknown[])[0];
    await linkTo(radio);
    expect(await adapter()).to.deep.include({ links: 1, devices: [DIE] });
    await rig.call('POST', '/adapters/hci0', { powered: false });
    expect(await adapter()).to.deep.include({ links: 0, devices: [] });
    expect((await rig.call('GET', `/devices/${DIE}`)).json).to.have.property('connected', true);
  });

  it('treats a device at the address of an earlier device as new', async () => {
    const rig = await openFixture();
    await radioIn(rig);
    const put = (change: object) => rig.call('PUT', `/air/${DIE}`, { adapter: 'hci0', ...change });
    await put({ rssi: -90, in_range: false });
    await rig.call('DELETE', `/devices/${DIE}`);
    await rig.call('POST', '/devices', { kind: 'dice', address: DIE });
    expect((await put({})).json).to.deep.equal({ address: DIE, rssi: -60, in_range: true });
  });

  it('resets the world to its start', async () => {
    const { call } = await openFixture([{ kind: 'dice', battery_level: 50, rssi: -70 }]);
    await call('POST', '/devices', { kind: 'dice' });
    await call('POST', `/devices/${DIE}/actions`, { type: 'battery', level: 7 });
    await call('PUT', `/air/${DIE}`, { rssi: -90, in_range: false });
    await call('POST', '/faults', { device: 'all', type: 'silence' });
    expect((await call('POST', '/reset')).json).to.deep.include({ seed: 1 });
    expect((await call('POST', '/reset', { seed: 42 })).json).to.deep.include({ seed: 42 });
    expect((await call('GET', '/devices')).json).to.have.length(1);
    expect((await call('GET', `/devices/${DIE}`)).json).to.deep.include({
      battery_level: 50,
      rssi: -70,
      in_range: true,
    });
    expect((await call('GET', '/faults')).json).to.deep.equal([]);
  });
});

describe('control API: errors', () => {
  const ADAPTER = '02:A1:B0:00:00:01';
  itRefuses(
    `POST /devices | {"kind":"clock","address":"${ADAPTER}"} | 400 address_taken address must be a free one, got ${ADAPTER}, which is an adapter`,
    async () => {
      const rig = await openFixture();
      await radioIn(rig);
      return rig;
    },
  );

  itRefuses(
    `
    GET /nowhere              | - | 404 unknown_route there is nothing at /nowhere
    PUT /devices              | {} | 405 method_not_allowed /devices answers GET, POST, HEAD, OPTIONS, not PUT
    GET /devices/${NOBODY}    | - | 404 unknown_device there is no device ${NOBODY}
    GET /devices/die          | - | 400 invalid_input address must be six pairs of hex digits with colons
    POST /devices             | - | 400 invalid_input the body is missing: it must be a JSON object
    POST /devices             | {"kind":"coin"} | 400 invalid_input kind must be one of dice, clock, pixels, gatt, got "coin"
    POST /devices             | {"kind":"dice","resting":{"x":0,"y":0,"z":64,"w":1}} | 400 invalid_input resting.w is unknown here
    POST /devices             | {"kind":"clock","time":"2026-13-01T00:00:00Z"} | 400 invalid_input time must be an existing date and time, got "2026-13-01T00:00:00Z"
    POST /devices             | {"kind":"dice","address":"${DIE}"} | 400 address_taken address must be a free one, got ${DIE}, which is a device
    POST /devices/${DIE}/actions | {"type":"roll","die":"d10","face":10} | 400 invalid_input face of a d10 must be one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, got 10
    POST /devices/${DIE}/actions | {"type":"turn","face":3,"acceleration":{"x":1,"y":2,"z":3}} | 400 invalid_input acceleration must be given without die and face
    POST /devices/${DIE}/actions | {"type":"notify","hex":"52"} | 404 not_subscribed no host has subscribed to the notifications of this die
    PUT /air                  | {"los":1} | 400 invalid_input los is unknown here
    PUT /air/${NOBODY}        | {} | 404 unknown_device there is no device ${NOBODY}
    POST /faults              | {"type":"silence","device":"${NOBODY}"} | 404 unknown_device there is no device ${NOBODY}
    POST /adapters/hci7       | {"powered":false} | 404 unknown_adapter there is no adapter hci7
    `,
  );
});

describe('control API: files of devices', () => {
  const message = (file: unknown): string => {
    const specs = decodeSpecs(file);
    return E.isLeft(specs) && 'message' in specs.left ? specs.left.message : '';
  };

  it('names the entry that is wrong', () => {
    expect(message({})).to.equal('the file must be an array of devices, got {}');
    expect(message([{ kind: 'dice' }, { kind: 'dice', color: 'pink' }])).to.equal(
      'device 2: color must be one of black, red, green, blue, yellow, orange, got "pink"',
    );
    expect(message([{ kind: 'dice' }, { kind: 'clock', settings: { volum: 3 } }])).to.match(
      /^device 2: settings\.volum is unknown here: it may be volume, language, /,
    );
    expect(
      message([
        { kind: 'dice', address: DIE },
        { kind: 'dice', address: DIE.toLowerCase() },
      ]),
    ).to.equal(`device 2: address must be its own, got ${DIE}, which device 1 has`);
  });

  it('assigns addresses that no entry has', async () => {
    const { world } = await openFixture([{ kind: 'dice' }, { kind: 'dice', address: DIE }, { kind: 'dice' }]);
    expect(world.list().map(({ address }) => address)).to.have.members([
      DIE,
      'D1:CE:00:00:00:02',
      'D1:CE:00:00:00:03',
    ]);
  });
});

describe('control API: events', () => {
  it('sends the state of every device, and then every change', async () => {
    const { url, call } = await openFixture();
    const listener = await Listener.open(`${url}/events`);
    const first = await listener.next();
    await call('POST', `/devices/${DIE}/actions`, { type: 'battery', level: 3 });
    const second = await listener.next();
    await call('DELETE', `/devices/${DIE}`);
    const third = await listener.next();
    listener.socket.close();
    await listener.closed;
    expect(first).to.have.nested.property('model.battery_level', 100);
    expect(second).to.have.nested.property('model.battery_level', 3);
    expect(third).to.deep.equal({ address: DIE, kind: 'dice', event: { type: 'removed' } });
  });
});
