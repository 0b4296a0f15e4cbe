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
import { problemText } from '../../src/ble/problem.js';
import { adapterHealth } from '../../src/http/index.js';
import { DEVICE, LIMITS, PROFILE, signalled } from '../support/bluetooth-fixture.js';
import { closedAfterEach } from '../support/bluetooth-proxy.js';
import { left, right } from '../support/either.js';
import { bytes } from '../support/hci-host.js';
import { manualTime } from '../support/manual-time.js';
import { PROXY_FEATURES, scriptedProxy } from '../support/scripted-proxy.js';

const FIX = 'use a proxy for each server and for Home Assistant, or connect Home Assistant over MQTT';
const REFUSED = "another client receives this proxy's advertisements";
const SILENT = (since: string): string =>
  `nothing heard since ${since}: another client may receive its advertisements: ${FIX}; a restart of this server takes the proxy back`;
const ANSWER_MS = 10_000;
const TEN_MINUTES = 600_000;
const address = addressNumber(DEVICE);

describe('The subscription to the advertisements of a proxy', () => {
  /** `hasLinks`: whether there is a link to ask on; `asked` has the times of the questions, s. */
  const subscription = (answers = true, hasLinks = false) => {
    const time = manualTime();
    const sent: number[] = [];
    const asked: number[] = [];
    const changes: (string | undefined)[] = [];
    const feed: Subscription = new Subscription({
      time,
      changed: () => changes.push(feed.problem?.what),
      ask: () => {
        if (hasLinks) asked.push(time.now() / 1000);
        return hasLinks;
      },
    });
    feed.begin(() => sent.push(time.now() / 1000), answers);
    return { time, sent, asked, changes, feed };
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
    feed.heard();
    time.advance(SILENT_MS - 1);
    expect([feed.problem, changes, feed.state]).to.deep.equal([undefined, [REFUSED, undefined], 'accepted']);
    expect(sent).to.deep.equal([0, 10, 40, 100]);
  });

  it('is not renewed after its answer, even during a long silence', () => {
    const { time, sent, changes, feed } = subscription();
    feed.heard();
    time.advance(1_000);
    feed.heard();
    time.advance(SILENT_MS - 1);
    expect([feed.state, feed.problem]).to.deep.equal(['accepted', undefined]);
    time.advance(TEN_MINUTES);
    expect(feed.problem && problemText(feed.problem)).to.equal(SILENT('1970-01-01T00:00:01.000Z'));
    expect([sent, changes]).to.deep.equal([[0], [undefined, feed.problem?.what]]);
    feed.heard();
    expect(feed.problem).to.equal(undefined);
    feed.end();
    expect(time.pending).to.equal(0);
  });

  it('asks on its links during each silence, and is silent only without an answer', () => {
    const { time, asked, feed } = subscription(true, true);
    feed.heard();
    time.advance(SILENT_MS);
    feed.heard();
    time.advance(SILENT_MS + ANSWER_MS - 1);
    expect([asked, feed.state]).to.deep.equal([[60, 120], 'accepted']);
    time.advance(1);
    expect(feed.state).to.equal('silent');
    time.advance(TEN_MINUTES);
    expect(asked).to.deep.equal([60, 120]);
  });

  it('is requested once from firmware that does not answer', () => {
    const { time, sent, feed } = subscription(false);
    time.advance(TEN_MINUTES);
    expect([sent, feed.state]).to.deep.equal([[0], 'quiet']);
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
    const informed: string[] = [];
    const warned = signalled<string>();
    const warn = (warning: string): void => {
      log.push(warning);
      warned.fulfil(warning);
    };
    const taps = new Map<string, () => void>();
    const received = (name: string): Promise<void> => new Promise((resolve) => taps.set(name, resolve));
    const proxy = new EsphomeProxy({
      ...{ tap: () => (_direction, name) => taps.get(name)?.() },
      ...{ host: '127.0.0.1', port, key: undefined, time, limits: LIMITS, memory: DEFAULT_MEMORY },
      ...{ inform: (message) => informed.push(message), warn },
    });
    const radio = new CombinedRadio(
      [{ name: 'kitchen', radio: proxy, problem: () => proxy.ownProblem, hears: () => proxy.hears }],
      () => undefined,
    );
    open.push(close, radio.close);
    const heard = new Promise((resolve) => proxy.listen(resolve));
    proxy.start();
    await first;
    return { time, proxy, radio, requested, port, log, informed, heard, received, warned: warned.promise };
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
    expect(radio.parts).to.have.nested.property('[0].problem', `${REFUSED}: ${FIX}`);
    expect([radio.state, adapterHealth(radio, {}).ready]).to.deep.equal(['poweredOff', false]);
    expect(log).to.deep.equal([`the proxy 127.0.0.1:${port} cannot be used: ${REFUSED}: ${FIX}`]);
    await second;
    accepts = true;
    const accepted = new Promise((resolve) => proxy.onState(resolve));
    time.advance(30_000);
    expect(await accepted).to.equal('poweredOn');
    expect([radio.parts[0]?.problem, adapterHealth(radio, {}).ready]).to.deep.equal([undefined, true]);
  });

  describe('with a link', () => {
    const configuration = { uuid: [], shortUuid: 0x2902, handle: 4 };
    const characteristic = {
      ...{ uuid: [], shortUuid: 0xff01, handle: 3, properties: 0x10, descriptors: [configuration] },
    };
    const services = [{ uuid: [], shortUuid: 0xff00, handle: 1, characteristics: [characteristic] }];

    /** A link through a proxy that answers by `answer` to a question on it. */
    const connect = async (answer: (connection: ApiConnection) => void) => {
      const requests: string[] = [];
      const asked = signalled();
      const used = await use(({ name, message }, connection) => {
        if (name === 'SubscribeAdvertisementsRequest') {
          connection.send('ScannerStateResponse', { state: ScannerState.running });
          connection.send('RawAdvertisementsResponse', { advertisements: [advertisement] });
        } else if (name === 'DeviceRequest') {
          requests.push(message.requestType === DeviceRequestType.disconnect ? 'disconnect' : 'connect');
          connection.send('DeviceConnectionResponse', { address, connected: true, mtu: 23 });
        } else if (name === 'GetServicesRequest') {
          connection.send('GetServicesResponse', { address, services });
          connection.send('GetServicesDoneResponse', { address });
        } else if (name === 'ReadDescriptorRequest') {
          requests.push(`read ${message.handle}`);
          answer(connection);
          asked.fulfil();
        }
      });
      await used.heard;
      const link = right(await used.radio.connect(DEVICE, PROFILE)());
      used.time.advance(SILENT_MS);
      await asked.promise;
      return { ...used, link, requests };
    };

    it('loses it if another client has taken the proxy, which does not answer any more, and says so', async () => {
      const { time, radio, link, requests, log, port } = await connect(() => undefined);
      expect([link.ended, log, radio.parts[0]?.problem]).to.deep.equal([undefined, [], undefined]);
      time.advance(ANSWER_MS);
      expect(link.ended).to.deep.equal({ _tag: 'LinkLost', address: DEVICE, reason: null });
      const [part] = radio.parts;
      expect([part?.problem, part?.isLinked(DEVICE), part?.hears]).to.deep.equal([
        ...[SILENT('1970-01-01T00:00:00.000Z'), false, false],
      ]);
      expect(log).to.deep.equal([`the proxy 127.0.0.1:${port} may hear nothing: ${part?.problem}`]);
      expect(requests, 'another client may use the device').to.deep.equal(['connect', 'read 4']);
    });

    it('keeps it if the proxy answers, even by an error', async () => {
      const { time, radio, link, log, received } = await connect((connection) =>
        connection.send('GattErrorResponse', { address, handle: 4, error: 2 }),
      );
      await received('GattErrorResponse');
      time.advance(SILENT_MS - 1);
      expect([link.ended, radio.parts[0]?.problem, log]).to.deep.equal([undefined, undefined, []]);
    });
  });

  it('is degraded while nothing is heard, unless there is another radio', async () => {
    const { time, radio, heard, port } = await use(
      subscribed((connection) => {
        connection.send('ScannerStateResponse', { state: ScannerState.running });
        connection.send('RawAdvertisementsResponse', { advertisements: [advertisement] });
      }),
    );
    await heard;
    time.advance(SILENT_MS);
    const reason = `the proxy 127.0.0.1:${port} may hear nothing: ${SILENT('1970-01-01T00:00:00.000Z')}`;
    expect(adapterHealth(radio, {})).to.deep.include({
      ...{ ready: false, reason, details: { adapter: 'poweredOn', problem: reason } },
    });
    const [part] = radio.parts;
    expect([part?.isUp, part?.problem]).to.deep.equal([true, SILENT('1970-01-01T00:00:00.000Z')]);
    const parts = part === undefined ? [] : [part, { ...part, hears: true }];
    expect(adapterHealth({ state: radio.state, parts }, {}).ready).to.equal(true);
  });

  it('logs no silence without links, and ends no links of other clients after it', async () => {
    let send: ApiConnection['send'] = () => false;
    const { time, proxy, heard, received, log, informed, port } = await use(
      subscribed((connection) => {
        send = connection.send.bind(connection);
        send('ScannerStateResponse', { state: ScannerState.running });
        send('RawAdvertisementsResponse', { advertisements: [advertisement] });
      }),
    );
    await heard;
    time.advance(SILENT_MS);
    expect(proxy.hears).to.equal(false);
    let ends = 0;
    void received('DeviceRequest').then(() => (ends += 1));
    const heardAgain = new Promise((resolve) => proxy.listen(resolve));
    send('ConnectionsFreeResponse', { free: 2, limit: 3, allocated: [address] });
    send('RawAdvertisementsResponse', { advertisements: [advertisement] });
    await heardAgain;
    expect([proxy.hears, ends, log]).to.deep.equal([true, 0, []]);
    const accepted = `the proxy 127.0.0.1:${port} sends its advertisements here`;
    expect(informed.filter((message) => message === accepted)).to.have.length(1);
  });

  it('disconnects a proxy that sends a second DeviceInfoResponse', async () => {
    const { warned, proxy, port } = await use(
      subscribed((connection) => connection.send('DeviceInfoResponse')),
    );
    const fix = 'update its firmware, or use another proxy';
    const what = 'it exceeds the bounds of Bluetooth (DeviceInfoResponse came twice)';
    expect(await warned).to.equal(`the proxy 127.0.0.1:${port} cannot be used: ${what}: ${fix}`);
    expect([proxy.state, proxy.ownProblem]).to.deep.equal(['poweredOff', { what, fix }]);
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
