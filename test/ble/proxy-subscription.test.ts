import { expect } from 'chai';
import { describe, it } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import { DEFAULT_MEMORY } from '../../src/ble/advertisement-cache.js';
import { CombinedRadio } from '../../src/ble/combined-radio.js';
import { EsphomeProxy } from '../../src/ble/esphome/index.js';
import { SILENT_MS, Subscription } from '../../src/ble/esphome/subscription.js';
import {
  addressNumber,
  DeviceRequestType,
  Feature,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type MessageOf,
} from '../../src/protocols/esphome/index.js';
import { adapterHealth } from '../../src/http/index.js';
import { DEVICE, LIMITS, PROFILE, signalled } from '../support/bluetooth-fixture.js';
import { closedAfterEach } from '../support/bluetooth-proxy.js';
import { left } from '../support/either.js';
import { bytes } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';
import { PROXY_FEATURES, scriptedProxy } from '../support/scripted-proxy.js';

const REFUSED = "another client receives this proxy's advertisements";
const TEN_MINUTES = 600_000;
const address = addressNumber(DEVICE);

describe('The subscription to the advertisements of a proxy', () => {
  const subscription = (answers = true) => {
    const time = manualTime();
    const sent: number[] = [];
    const changes: (string | undefined)[] = [];
    const feed: Subscription = new Subscription(time, () => changes.push(feed.problem?.what));
    feed.begin(() => sent.push(time.now() / 1000), answers);
    return { time, sent, changes, feed };
  };

  it('is requested again after 10 s, 30 s and then every 60 s without an answer', () => {
    const { time, sent, changes, feed } = subscription();
    time.advance(9_999);
    expect(feed.problem).to.equal(undefined);
    time.advance(200_001);
    expect(sent).to.deep.equal([0, 10, 40, 100, 160]);
    expect([changes, feed.problem?.what]).to.deep.equal([[REFUSED], REFUSED]);
  });

  it('is accepted when another client gives its subscription up', () => {
    const { time, sent, changes, feed } = subscription();
    time.advance(100_000);
    feed.accept();
    time.advance(SILENT_MS - 1);
    expect([feed.problem, changes, feed.state]).to.deep.equal([undefined, [REFUSED, undefined], 'accepted']);
    expect([sent, time.pending]).to.deep.equal([[0, 10, 40, 100], 0]);
  });

  it('is not renewed after its answer, even during a long silence', () => {
    const { time, sent, feed } = subscription();
    feed.accept();
    time.advance(1_000);
    feed.heard();
    time.advance(SILENT_MS - 1);
    expect([feed.isSilent, feed.problem]).to.deep.equal([false, undefined]);
    time.advance(TEN_MINUTES);
    expect(feed.problem?.what).to.equal(
      'nothing heard since 1970-01-01T00:00:01.000Z: another client may receive its advertisements',
    );
    expect(sent).to.deep.equal([0]);
    feed.heard();
    expect(feed.problem).to.equal(undefined);
  });

  it('is requested once from firmware that does not answer', () => {
    const { time, sent, feed } = subscription(false);
    time.advance(TEN_MINUTES);
    expect([sent, feed.isSilent]).to.deep.equal([[0], true]);
  });
});

describe('A server on a proxy', () => {
  const open = closedAfterEach();

  /** A server's radio on a proxy that answers by `script`, after the first request for advertisements. */
  const use = async (script: (message: AnyMessage, connection: ApiConnection) => void) => {
    const time = manualTime();
    let onRequest: () => void = () => undefined;
    const requested = (): Promise<void> => new Promise((resolve) => (onRequest = resolve));
    const first = requested();
    const { port, close } = await scriptedProxy(
      systemTime,
      (message, connection) => {
        script(message, connection);
        if (message.name === 'SubscribeAdvertisementsRequest') onRequest();
      },
      PROXY_FEATURES | Feature.stateAndMode,
    );
    const log: string[] = [];
    const warned = signalled<string>();
    const warn = (warning: string): void => {
      log.push(warning);
      warned.fulfil(warning);
    };
    const proxy = new EsphomeProxy({
      ...{ host: '127.0.0.1', port, key: undefined, time, limits: LIMITS, memory: DEFAULT_MEMORY },
      ...{ inform: () => undefined, warn },
    });
    const radio = new CombinedRadio(
      [{ name: 'kitchen', radio: proxy, problem: () => proxy.problem?.what, hears: () => proxy.hears }],
      () => undefined,
    );
    open.push(close, radio.close);
    const heard = new Promise((resolve) => proxy.listen(resolve));
    proxy.start();
    await first;
    return { time, proxy, radio, requested, port, log, heard, warned: warned.promise };
  };

  /** Answers each subscription. */
  const subscribed =
    (answer: (connection: ApiConnection) => void) =>
    ({ name }: AnyMessage, connection: ApiConnection): void => {
      if (name === 'SubscribeAdvertisementsRequest') answer(connection);
    };

  const advertisement = { address, rssi: -60, addressType: 1, data: bytes('02 01 06') };

  it('ends the links that an earlier client has left, once its subscription is accepted', async () => {
    const request = signalled<MessageOf<'DeviceRequest'>>();
    await use(({ name, message }, connection) => {
      if (name === 'DeviceRequest') request.fulfil(message);
      if (name !== 'SubscribeAdvertisementsRequest') return;
      connection.send('ConnectionsFreeResponse', { free: 2, limit: 3, allocated: [address] });
      connection.send('ScannerStateResponse', { state: ScannerState.running });
    });
    const { disconnect } = DeviceRequestType;
    expect(await request.promise).to.deep.include({ address, requestType: disconnect });
  });

  it('is degraded while its subscription is refused, and ready once it is accepted', async () => {
    let accepts = false;
    const { time, proxy, radio, requested, port, log } = await use(
      subscribed((connection) => {
        if (accepts) connection.send('ScannerStateResponse', { state: ScannerState.running });
      }),
    );
    expect(adapterHealth(radio, {}).ready).to.equal(true);
    const second = requested();
    time.advance(10_000);
    expect(radio.parts).to.have.nested.property('[0].problem', REFUSED);
    expect([radio.state, adapterHealth(radio, {}).ready]).to.deep.equal(['poweredOff', false]);
    expect(log).to.deep.equal([`the proxy 127.0.0.1:${port} cannot be used: ${REFUSED}`]);
    await second;
    accepts = true;
    const accepted = new Promise((resolve) => proxy.onState(resolve));
    time.advance(30_000);
    expect(await accepted).to.equal('poweredOn');
    expect([radio.parts[0]?.problem, adapterHealth(radio, {}).ready]).to.deep.equal([undefined, true]);
  });

  it('is degraded while nothing is heard, unless there is another radio', async () => {
    const { time, proxy, radio, heard } = await use(
      subscribed((connection) => {
        connection.send('ScannerStateResponse', { state: ScannerState.running });
        connection.send('RawAdvertisementsResponse', { advertisements: [advertisement] });
      }),
    );
    await heard;
    time.advance(SILENT_MS);
    expect(adapterHealth(radio, {})).to.deep.include({
      ...{ ready: false, reason: 'no Bluetooth proxy hears anything', details: { adapter: 'poweredOn' } },
    });
    const [part] = radio.parts;
    expect([part?.isUp, part?.problem]).to.deep.equal([true, proxy.problem?.what]);
    const parts = part === undefined ? [] : [part, { ...part, hears: true }];
    expect(adapterHealth({ state: radio.state, parts }, {}).ready).to.equal(true);
  });

  it('disconnects a proxy that sends a second DeviceInfoResponse', async () => {
    const { warned, proxy, port } = await use(
      subscribed((connection) => connection.send('DeviceInfoResponse')),
    );
    const fix = 'update its firmware, or use another proxy';
    const what = 'it exceeds the bounds of Bluetooth (DeviceInfoResponse came twice)';
    expect(await warned).to.equal(`the proxy 127.0.0.1:${port} cannot be used: ${what}: ${fix}`);
    expect([proxy.state, proxy.problem]).to.deep.equal(['poweredOff', { what, fix }]);
  });

  it('disconnects a proxy that sends a value of more than 512 bytes', async () => {
    const { warned } = await use(
      subscribed((connection) =>
        connection.send('NotifyDataResponse', { address, handle: 3, data: Buffer.alloc(60_000) }),
      ),
    );
    expect(await warned).to.contain('(NotifyDataResponse with data of length 60000, at most 512)');
  });

  it('disconnects a proxy that reports a device with more attributes than handles', async () => {
    const service = { uuid: [], shortUuid: 0xff00, handle: 1, characteristics: [] };
    const services = Array.from({ length: 1000 }, () => service);
    const { warned, proxy, heard } = await use((message, connection) => {
      if (message.name === 'SubscribeAdvertisementsRequest')
        connection.send('RawAdvertisementsResponse', { advertisements: [advertisement] });
      if (message.name === 'DeviceRequest')
        connection.send('DeviceConnectionResponse', { address, connected: true, mtu: 23 });
      if (message.name === 'GetServicesRequest')
        for (let sent = 0; sent < 66; sent += 1)
          connection.send('GetServicesResponse', { address, services });
    });
    await heard;
    expect(left(await proxy.connect(DEVICE, PROFILE)())._tag).to.equal('LinkLost');
    expect(await warned).to.contain('(a device has more than 65535 attributes)');
  });
});
