/** Bluetooth proxies of the simulated world and their faults, used by a server's radio. */
import { expect } from 'chai';
import { afterEach, describe, it } from 'mocha';
import { systemTime, type TimeSource } from '../../src/async/time.js';
import { ApiClient, LONGEST_PAUSE_MS } from '../../src/ble/esphome/api-client.js';
import { openProxyRadio } from '../../src/ble/esphome/index.js';
import { addressNumber, DeviceRequestType } from '../../src/protocols/esphome/index.js';
import type { BleError, Link, Radio } from '../../src/ble/ports.js';
import type { Problem } from '../../src/ble/problem.js';
import { NUS_NOTIFY, NUS_SERVICE, NUS_WRITE } from '../../src/protocols/godice/index.js';
import { openApiClient } from '../support/api-client.js';
import { LONG_LIMITS } from '../support/bluetooth-fixture.js';
import { namedAdvertisement, untilState } from '../support/bluetooth-proxy.js';
import { left, right } from '../support/either.js';
import { closeAll, DIE, itRefuses, open, openFixture } from './control-fixture.js';

const KEY = Buffer.alloc(32, 9);
const PROFILE = [{ service: NUS_SERVICE, characteristics: [NUS_WRITE, NUS_NOTIFY] }];
/** A request for the battery of a die. */
const REQUEST = Buffer.of(3);

type Listed = Readonly<{ name: string; port: number; free: number; devices: readonly string[]; up: boolean }>;

describe('Proxies of the control API', () => {
  afterEach(closeAll);

  const fixture = async (proxies: readonly object[] = [{}]) => {
    const { air, call } = await openFixture();
    for (const proxy of proxies) expect((await call('POST', '/proxies', proxy)).status).to.equal(200);
    const list = async (): Promise<readonly Listed[]> =>
      (await call('GET', '/proxies')).json as readonly Listed[];
    const fault = async (type: string, device = 'proxy-1', more: object = {}) => {
      const { json } = await call('POST', '/faults', { type, device, ...more });
      expect(json).to.deep.include({ type, hits: 1 });
      return () => call('DELETE', `/faults/${(json as { readonly id: string }).id}`);
    };
    const place = (adapter: string, reception: object): Promise<unknown> =>
      call('PUT', `/air/${DIE}`, { adapter, ...reception });
    return { air, call, list, fault, place };
  };

  type Fixture = Awaited<ReturnType<typeof fixture>>;

  /** The system's time with a short pause of a client after a wrong key. */
  const fast: TimeSource = {
    ...systemTime,
    after: (ms, task) => systemTime.after(ms === LONGEST_PAUSE_MS ? 20 : ms, task),
  };

  const radioOn = async (
    { list }: Pick<Fixture, 'list'>,
    key?: Buffer,
    warnings: string[] = [],
  ): Promise<Radio> => {
    const radio = right(
      await openProxyRadio({
        proxies: (await list()).map(({ port }) => ({ host: '127.0.0.1', port, key })),
        limits: LONG_LIMITS,
        time: key === undefined ? systemTime : fast,
        ...{ inform: () => undefined, warn: (message) => warnings.push(message) },
      })(),
    );
    open.push(radio.close);
    return radio;
  };

  const connect = async (radio: Radio): Promise<Link> => {
    await namedAdvertisement(radio, DIE);
    return right(await radio.connect(DIE, PROFILE)());
  };

  const endOf = (link: Link): Promise<BleError> => new Promise((resolve) => void link.onEnd(resolve));

  const through = async ({ list }: Fixture): Promise<readonly string[]> =>
    (await list()).flatMap(({ name, devices }) => (devices.includes(DIE) ? [name] : []));

  it('are listed with their fields until they are removed', async () => {
    const kitchen = { name: 'kitchen', slots: 5, key: KEY.toString('base64') };
    const { call, list } = await fixture([kitchen, {}, {}]);
    const [first, second] = await list();
    expect(first).to.deep.include({ name: 'kitchen', slots: 5, encrypted: true, mac: '02:A1:B2:00:00:01' });
    expect(first).not.to.have.property('key');
    expect(second).to.deep.include({ name: 'proxy-1', slots: 3, free: 3, encrypted: false, up: true });
    expect(second).to.deep.include({ mac: '02:A1:B2:00:00:02', clients: 0, devices: [] });
    const { json: adapters } = await call('GET', '/adapters');
    const ids = (adapters as readonly { id: string }[]).map(({ id }) => id);
    expect(ids).to.deep.equal(['kitchen', 'proxy-1', 'proxy-2']);
    expect((await call('DELETE', '/proxies/kitchen')).json).to.deep.equal({ name: 'kitchen', deleted: true });
    expect((await list()).map(({ name }) => name)).to.deep.equal(['proxy-1', 'proxy-2']);
    const { json: added } = await call('POST', '/proxies', {});
    expect(added, 'the first free name and address').to.include({
      name: 'proxy-3',
      mac: '02:A1:B2:00:00:01',
    });
    await call('POST', '/reset');
    expect(await list()).to.deep.equal([]);
  });

  itRefuses(
    `
    POST /proxies      | {"name":"Kitchen"}                                       | 400 invalid_input name must be 1 to 31 lower-case letters, digits and hyphens, such as proxy-kitchen
    POST /proxies      | {"name":"all"}                                           | 400 invalid_input name must be
    POST /proxies      | {"name":"hci0"}                                          | 400 invalid_input name must be
    POST /proxies      | {"name":"proxy-1"}                                       | 400 name_taken name must be a free one, got proxy-1
    POST /proxies      | {"key":"short"}                                          | 400 invalid_input key must be a key of 32 bytes in base64 (44 characters)
    DELETE /proxies/x  | {}                                                       | 404 unknown_proxy there is no proxy x
    POST /faults       | {"type":"proxy_deaf","device":"hall"}                    | 404 unknown_proxy there is no proxy hall
    POST /faults       | {"type":"proxy_deaf","device":"all"}                     | 400 invalid_input device must be
    POST /chaos        | {"seed":1,"duration_secs":1,"faults":[{"type":"proxy_down","per_minute":1}]} | 400 invalid_input faults[0].devices of proxy_down must be proxies, such as ["proxy-1"]
    `,
    fixture,
  );

  it('refuse a port that is in use', async () => {
    const { call, list } = await fixture();
    const [{ port } = { port: 0 }] = await list();
    const { status, json } = await call('POST', '/proxies', { port });
    expect({ status, ...(json as object) }).to.deep.include({ status: 500, code: 'proxy_failed' });
    expect((await list()).length).to.equal(1);
  });

  it('make the connection where the signal is best', async () => {
    const opened = await fixture([{}, {}]);
    const radio = await radioOn(opened);
    await opened.place('proxy-1', { rssi: -80 });
    await opened.place('proxy-2', { rssi: -45 });
    await namedAdvertisement(radio, DIE, -45);
    const link = await connect(radio);
    expect(await through(opened)).to.deep.equal(['proxy-2']);
    await link.disconnect();
    await opened.place('proxy-2', { in_range: false });
    await opened.fault('proxy_connection_lost', 'proxy-2');
    await namedAdvertisement(radio, DIE, -80);
    await connect(radio);
    expect(await through(opened)).to.deep.equal(['proxy-1']);
  });

  it('refuse a connection while all slots are taken', async () => {
    const opened = await fixture();
    const radio = await radioOn(opened);
    const lift = await opened.fault('proxy_slots_taken', 'proxy-1', { slots: 3 });
    await namedAdvertisement(radio, DIE);
    const refusal = left(await radio.connect(DIE, PROFILE)());
    expect(refusal).to.deep.include({ _tag: 'LinkLimit' });
    expect((refusal as { readonly full?: string }).full).to.match(/: 3 of 3 in use$/);
    await lift();
    expect((await opened.list()).map(({ free }) => free)).to.deep.equal([3]);
    await connect(radio);
  });

  for (const [title, type] of [
    ['when their connection is lost', 'proxy_connection_lost'],
    ['when they have no power', 'proxy_down'],
  ] as const) {
    it(`end their links ${title}, and return at the same port`, async () => {
      const opened = await fixture();
      const radio = await radioOn(opened);
      const [before] = await opened.list();
      const link = await connect(radio);
      const ended = endOf(link);
      const lift = await opened.fault(type);
      expect(await ended).to.deep.equal({ _tag: 'LinkLost', address: DIE, reason: null });
      await lift();
      await untilState(radio, 'poweredOn');
      expect((await opened.list()).map(({ port }) => port)).to.deep.equal([before?.port]);
      await connect(radio);
    });
  }

  it('keep their links and all data while they are stalled or slow', async () => {
    const opened = await fixture();
    const radio = await radioOn(opened);
    const link = await connect(radio);
    const lift = await opened.fault('proxy_stalled');
    const written = link.write(NUS_WRITE, REQUEST)();
    expect(await through(opened)).to.deep.equal(['proxy-1']);
    expect(await Promise.race([written, Promise.resolve('not yet')])).to.equal('not yet');
    await lift();
    right(await written);
    await opened.fault('proxy_slow', 'proxy-1', { ms: 20, jitter_ms: 20 });
    right(await link.write(NUS_WRITE, REQUEST)());
  });

  it('forward no advertisements while they are deaf', async () => {
    const opened = await fixture([{}, {}]);
    await opened.place('proxy-1', { rssi: -30 });
    await opened.fault('proxy_deaf');
    const radio = await radioOn(opened);
    await connect(radio);
    expect(await through(opened)).to.deep.equal(['proxy-2']);
  });

  it('keep the link of a client that is gone, without services, until another client ends it', async () => {
    const opened = await fixture();
    const [{ port } = { port: 0 }] = await opened.list();
    const address = addressNumber(DIE);
    const client = async () => {
      const opened = await openApiClient(port);
      await opened.ask('SubscribeAdvertisementsRequest', {}, 'ScannerStateResponse');
      const request = async (requestType: number): Promise<boolean> => {
        const { message } = await opened.ask(
          ...(['DeviceRequest', { address, requestType }, 'DeviceConnectionResponse'] as const),
        );
        return 'connected' in message && message.connected;
      };
      const services = (): Promise<{ readonly name: string }> =>
        opened.ask('GetServicesRequest', { address }, 'GetServicesResponse', 'GetServicesDoneResponse');
      return { request, services, end: opened.end };
    };
    const lift = await opened.fault('proxy_stale_links');
    const first = await client();
    expect(await first.request(DeviceRequestType.connect)).to.equal(true);
    await first.end();
    const second = await client();
    expect(await through(opened)).to.deep.equal(['proxy-1']);
    expect(await second.request(DeviceRequestType.connect)).to.equal(true);
    expect((await second.services()).name).to.equal('GetServicesDoneResponse');
    expect(await second.request(DeviceRequestType.disconnect)).to.equal(false);
    expect(await second.request(DeviceRequestType.connect)).to.equal(true);
    expect((await second.services()).name).to.equal('GetServicesResponse');
    await second.end();
    await client();
    expect(await through(opened)).to.deep.equal(['proxy-1']);
    await lift();
    while ((await through(opened)).length > 0);
  });

  it('refuse a client while they have another key, and then accept it again', async () => {
    const opened = await fixture([{ key: KEY.toString('base64') }]);
    const warnings: string[] = [];
    const radio = await radioOn(opened, KEY, warnings);
    const lift = await opened.fault('proxy_other_key');
    await untilState(radio, 'poweredOff');
    while (!warnings.join().includes('the given key is not its encryption key')) await opened.list();
    await lift();
    await untilState(radio, 'poweredOn');
    await connect(radio);
  });

  it('use another key even if it changes while they start', async () => {
    const { air, list } = await fixture([{ key: KEY.toString('base64') }]);
    const isUp = async (): Promise<boolean> => (await list()).every(({ up }) => up);
    const [proxy] = air.proxies;
    const restorePower = proxy?.powerDown();
    while (await isUp());
    restorePower?.();
    // The start of listening takes further turns.
    for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
    proxy?.replaceKey();
    while (!(await isUp()));
    const [{ port } = { port: 0 }] = await list();
    const outcome = await new Promise<Problem>((resolve) => {
      const client = new ApiClient({
        ...{ host: '127.0.0.1', port, key: KEY, time: systemTime, message: () => undefined },
        up: () => resolve({ what: 'it is up' }),
        down: resolve,
      });
      open.push(() => client.close());
      client.start();
    });
    expect(outcome.what).to.equal('the given key is not its encryption key');
  });
});
