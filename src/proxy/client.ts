/** A client of a proxy: what it asks for, and what it is told. */
import * as E from 'fp-ts/lib/Either.js';
import type { Logger } from 'pino';
import { DEFAULT_MTU } from '../ble/hci/att.js';
import type { NobleLink } from '../ble/noble/index.js';
import type { AdapterState } from '../ble/ports.js';
import {
  addressNumber,
  addressText,
  DeviceRequestType,
  dispatch,
  ProxyError,
  ScannerMode,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type MessageOf,
  type RawAdvertisement,
  type Receivers,
} from '../esphome/index.js';
import { errorNumber } from './errors.js';
import { capabilities, deviceInfo, hello, type Identity } from './identity.js';
import { ClientGatt } from './gatt.js';
import type { Slots } from './slots.js';

/** A client that takes so little that more than this waits for it, bytes, gets no advertisements until it does. */
const MOST_UNSENT = 262_144;

export interface ClientOptions {
  readonly connection: ApiConnection;
  readonly identity: Identity;
  readonly slots: Slots<Client>;
  readonly log: Logger;
  readonly state: () => AdapterState;
  /** Sends all advertisements that wait. */
  readonly flush: () => void;
  /** Called when it begins or ceases to listen for advertisements. */
  readonly listening: () => void;
}

export class Client {
  /** Whether it is told of advertisements. */
  listens = false;
  private countsSlots = false;
  private readonly gatt: ClientGatt;

  constructor(private readonly options: ClientOptions) {
    this.gatt = new ClientGatt(options.connection);
  }

  /** What the client has is given back. */
  end(): void {
    this.options.slots.release(this);
    this.listens = false;
  }

  readonly receive = (message: AnyMessage): void => {
    if (!dispatch(this.receivers, message)) dispatch(this.gatt.receivers, message);
  };

  private readonly receivers: Receivers = {
    HelloRequest: ({ clientInfo }) => {
      this.options.log.info({ client: clientInfo }, 'a client of the proxy');
      this.options.connection.send('HelloResponse', hello(this.options.identity));
    },
    AuthenticationRequest: () => this.options.connection.send('AuthenticationResponse'),
    DeviceInfoRequest: () =>
      this.options.connection.send('DeviceInfoResponse', deviceInfo(this.options.identity)),
    DeviceCapabilitiesRequest: () =>
      this.options.connection.send('DeviceCapabilitiesResponse', capabilities(this.options.identity)),
    ListEntitiesRequest: () => this.options.connection.send('ListEntitiesDoneResponse'),
    SubscribeAdvertisementsRequest: () => this.listen(true),
    UnsubscribeAdvertisementsRequest: () => this.listen(false),
    // It always scans actively.
    ScannerSetModeRequest: () => this.tellState(),
    SubscribeConnectionsFreeRequest: () => {
      this.countsSlots = true;
      this.tellSlots();
    },
    DeviceRequest: (request) => this.onDeviceRequest(request),
  };

  /** The slots have changed. */
  tellSlots(): void {
    const { connection, slots } = this.options;
    if (!this.countsSlots) return;
    connection.send('ConnectionsFreeResponse', {
      free: slots.free,
      limit: slots.limit,
      allocated: slots.allocated.map(addressNumber),
    });
  }

  /** The adapter has changed its state. */
  tellState(): void {
    const { connection, state } = this.options;
    connection.send('ScannerStateResponse', {
      state: state() === 'poweredOn' ? ScannerState.running : ScannerState.failed,
      ...{ mode: ScannerMode.active, configuredMode: ScannerMode.active },
    });
  }

  advertisements(advertisements: readonly RawAdvertisement[]): void {
    const { connection } = this.options;
    if (this.listens && connection.unsent <= MOST_UNSENT)
      connection.send('RawAdvertisementsResponse', { advertisements });
  }

  private listen(listens: boolean): void {
    this.listens = listens;
    this.options.listening();
    if (listens) this.tellState();
  }

  private onDeviceRequest({ address, requestType }: MessageOf<'DeviceRequest'>): void {
    const { connection, slots } = this.options;
    switch (requestType) {
      case DeviceRequestType.connect:
      case DeviceRequestType.connectWithCache:
        void this.connect(address, requestType === DeviceRequestType.connectWithCache);
        break;
      case DeviceRequestType.disconnect:
        if (!slots.disconnect(addressText(address), this)) this.tellLink(address, undefined, 0);
        break;
      case DeviceRequestType.clearCache:
        // Nothing is kept: services are discovered with each connection.
        connection.send('ClearCacheResponse', { address, success: true });
        break;
      case DeviceRequestType.pair:
        connection.send('PairingResponse', { address, error: ProxyError.failed });
        break;
      case DeviceRequestType.unpair:
        connection.send('UnpairingResponse', { address, error: ProxyError.failed });
        break;
      default:
        this.tellLink(address, undefined, ProxyError.failed);
    }
  }

  private tellLink(address: bigint, link: NobleLink | undefined, error: number): void {
    // What was advertised before comes before.
    this.options.flush();
    const mtu = link === undefined ? 0 : (link.mtu ?? DEFAULT_MTU);
    this.options.connection.send('DeviceConnectionResponse', {
      ...{ address, connected: link !== undefined, mtu, error },
    });
  }

  /** `isKnown`: the client knows what the device offers. */
  private async connect(number: bigint, isKnown: boolean): Promise<void> {
    const { slots, log } = this.options;
    const address = addressText(number);
    const own = slots.link(address, this);
    if (own !== undefined) {
      this.tellLink(number, own, 0);
      return;
    }
    const connected = await slots.connect(address, this, isKnown, (cause) => {
      this.gatt.ended(address);
      log.info({ address, cause }, 'a link of the proxy has ended');
      this.tellLink(number, undefined, errorNumber(cause));
    });
    if (E.isLeft(connected)) {
      const { left: cause } = connected;
      log.info({ address, cause }, 'the proxy could not connect a device');
      // ESPHome names no error for want of a slot.
      const error = cause === 'full' ? 0 : cause === 'taken' ? ProxyError.failed : errorNumber(cause);
      this.tellLink(number, undefined, error);
      return;
    }
    const { link } = connected.right;
    if (link.ended !== undefined) return;
    log.info({ address }, 'the proxy has connected a device');
    this.gatt.connected(number, connected.right);
    this.tellLink(number, link, 0);
  }
}
