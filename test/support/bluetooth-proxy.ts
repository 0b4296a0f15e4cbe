/** Proxies on virtual radios, and radios on proxies. */
import { afterEach, beforeEach } from 'mocha';
import { systemTime } from '../../src/async/time.js';
import type { AdapterState, Advertisement, Radio } from '../../src/ble/ports.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  type AnyMessage,
} from '../../src/protocols/esphome/index.js';
import { startProxy, type Proxy, type ProxyOptions } from '../../src/proxy/server.js';
import { openApiClient, type ApiClient } from './api-client.js';
import { DEVICE, Fixture } from './bluetooth-fixture.js';
import { right } from './either.js';
import { silent } from './log.js';

/** A proxy with one slot, without a key, on its own radio. */
export const openProxy = async (fixture: Fixture, options: Partial<ProxyOptions> = {}): Promise<Proxy> =>
  right(
    await startProxy({
      ...{ radio: options.radio ?? (await fixture.radio()), time: systemTime, log: silent, key: undefined },
      ...{ address: '127.0.0.1', port: 0, name: 'kitchen', mac: 'A0:B1:C2:D3:E4:F5', slots: 1 },
      ...options,
    })(),
  );

/** A list of close functions, which run after each test of the suite, the latest first. */
export const closedAfterEach = (): (() => unknown)[] => {
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0).reverse()) await close();
  });
  return open;
};

/** A proxy and a client of its API, new in each test of a suite. */
export class ProxyStage {
  readonly open = closedAfterEach();
  fixture!: Fixture;
  proxy!: Proxy;
  client!: ApiClient;

  constructor(private readonly options: Partial<ProxyOptions>) {}

  async begin(): Promise<void> {
    this.fixture = await Fixture.open();
    this.open.push(() => this.fixture.close());
    await this.start();
  }

  /** Uses a new proxy from now on. */
  async start(options: Partial<ProxyOptions> = {}): Promise<void> {
    this.proxy = await openProxy(this.fixture, { ...this.options, ...options });
    this.open.push(this.proxy.close);
    this.client = await this.another();
  }

  async another(): Promise<ApiClient> {
    const client = await openApiClient(this.proxy.port);
    this.open.push(client.end);
    return client;
  }

  /** Requests a link, or its end. */
  request(requestType: number, device = DEVICE, client = this.client): boolean {
    return client.send('DeviceRequest', { address: addressNumber(device), requestType });
  }

  /** Requests a link to DEVICE, and returns the answer. */
  async connectDevice(client = this.client) {
    this.request(DeviceRequestType.connect, DEVICE, client);
    return (await client.next('DeviceConnectionResponse')).message;
  }
}

/** A message about a link or the slots in words; none for other messages. */
export const linksInWords = ({ name, message }: AnyMessage): readonly string[] => {
  if (name === 'DeviceConnectionResponse')
    return [
      `69 ${addressText(message.address)} ${message.connected ? 'connected' : `ended ${message.error}`}`,
    ];
  if (name === 'ConnectionsFreeResponse')
    return [`81 ${message.free}/${message.limit} ${message.allocated.map(addressText).join()}`.trim()];
  return [];
};

export const useProxy = (options: Partial<ProxyOptions>): ProxyStage => {
  const stage = new ProxyStage(options);
  beforeEach(() => stage.begin());
  return stage;
};

/** Resolves when the state of the radio is `expected`. */
export const untilState = (radio: Pick<Radio, 'state' | 'onState'>, expected: AdapterState): Promise<void> =>
  new Promise((resolve) => {
    const check = (): void => {
      if (radio.state !== expected) return;
      stop();
      resolve();
    };
    const stop = radio.onState(check);
    check();
  });

/** The next advertisement of a device that contains its name, and has `rssi` if given. */
export const namedAdvertisement = (radio: Radio, device: string, rssi?: number): Promise<Advertisement> =>
  new Promise((resolve) => {
    const stop = radio.listen((advertisement) => {
      const { address, name } = advertisement;
      if (address !== device || name === null || advertisement.rssi !== (rssi ?? advertisement.rssi)) return;
      stop();
      resolve(advertisement);
    });
  });
