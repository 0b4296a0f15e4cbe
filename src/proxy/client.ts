/** A client of a proxy: its requests, and the messages to it. */
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import { DEFAULT_MTU } from '../ble/hci/att.js';
import type { NobleLink } from '../ble/noble/index.js';
import type { AdapterState, Address, BleError } from '../ble/ports.js';
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
} from '../protocols/esphome/index.js';
import { errorNumber, ClientGatt } from './gatt.js';
import { capabilities, deviceInfo, hello, type Identity } from './identity.js';
import type { Slots } from './slots.js';

/** A client that takes so little that more than this waits for it, bytes, gets no advertisements until it does. */
const MOST_UNSENT = 262_144;

export interface ClientOptions {
  readonly connection: ApiConnection;
  readonly identity: Identity;
  readonly slots: Slots;
  readonly log: Logger;
  readonly state: () => AdapterState;
  /** Sends all advertisements that wait. */
  readonly flush: () => void;
  readonly isSubscribed: (client: Client) => boolean;
  /** Called when it wants to receive messages about Bluetooth, or no longer. */
  readonly subscribe: (client: Client, wanted: boolean) => void;
}

export class Client {
  private readonly gatt: ClientGatt;
  private countsSlots = false;
  private readonly attempts = new Set<Address>();

  constructor(private readonly options: ClientOptions) {
    this.gatt = new ClientGatt(this.tell);
  }

  readonly receive = (message: AnyMessage): void => {
    if (dispatch(this.receivers, message) || !this.options.isSubscribed(this)) return;
    if (!dispatch(this.bluetooth, message)) dispatch(this.gatt.receivers, message);
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
    SubscribeAdvertisementsRequest: () => this.options.subscribe(this, true),
    UnsubscribeAdvertisementsRequest: () => this.options.subscribe(this, false),
    SubscribeConnectionsFreeRequest: () => {
      this.countsSlots = true;
      this.options.connection.send('ConnectionsFreeResponse', this.freeSlots);
    },
  };

  private readonly bluetooth: Receivers = {
    // It always scans actively.
    ScannerSetModeRequest: () => this.tellState(),
    DeviceRequest: (request) => this.onDeviceRequest(request),
  };

  /** Sends a message about Bluetooth: to the subscriber only. */
  private readonly tell: ApiConnection['send'] = (name, message) =>
    !this.options.isSubscribed(this) || this.options.connection.send(name, message);

  private get freeSlots(): MessageOf<'ConnectionsFreeResponse'> {
    const { free, limit, allocated } = this.options.slots;
    return { free, limit, allocated: allocated.map(addressNumber) };
  }

  /** The slots have changed. */
  tellSlots(): void {
    if (this.countsSlots) this.tell('ConnectionsFreeResponse', this.freeSlots);
  }

  /** The adapter has changed its state, or the subscription has been accepted. */
  tellState(): void {
    this.tell('ScannerStateResponse', {
      state: this.options.state() === 'poweredOn' ? ScannerState.running : ScannerState.failed,
      ...{ mode: ScannerMode.active, configuredMode: ScannerMode.active },
    });
  }

  advertisements(advertisements: readonly RawAdvertisement[]): void {
    if (this.options.connection.unsent <= MOST_UNSENT)
      this.tell('RawAdvertisementsResponse', { advertisements });
  }

  /** Whether it has connected a device, or is about to. */
  has(address: Address): boolean {
    const link = this.options.slots.link(address);
    return this.attempts.has(address) || (link !== undefined && this.gatt.has(link));
  }

  /** A link has ended, or an attempt has failed. */
  linkEnded(address: Address, cause: BleError): void {
    const wasUp = this.gatt.ended(address);
    this.options.log.info(
      { address, cause },
      wasUp ? 'a link of the proxy has ended' : 'the proxy could not connect a device',
    );
    this.tellLink(addressNumber(address), undefined, errorNumber(cause));
  }

  private onDeviceRequest({ address, requestType }: MessageOf<'DeviceRequest'>): void {
    const { slots } = this.options;
    switch (requestType) {
      case DeviceRequestType.connect:
      case DeviceRequestType.connectWithCache:
        detached(this.connect(address, requestType === DeviceRequestType.connectWithCache));
        break;
      case DeviceRequestType.disconnect:
        if (slots.has(addressText(address))) slots.disconnect(addressText(address));
        else {
          this.tellLink(address, undefined, 0);
          this.tellSlots();
        }
        break;
      case DeviceRequestType.clearCache:
        // Nothing is kept: services are discovered with each connection.
        this.tell('ClearCacheResponse', { address, success: true });
        break;
      case DeviceRequestType.pair:
        this.tell('PairingResponse', { address, error: ProxyError.failed });
        break;
      case DeviceRequestType.unpair:
        this.tell('UnpairingResponse', { address, error: ProxyError.failed });
        break;
      default:
        this.tellLink(address, undefined, ProxyError.failed);
    }
  }

  private tellLink(address: bigint, link: NobleLink | undefined, error: number): void {
    // Advertisements that wait go first.
    this.options.flush();
    const mtu = link === undefined ? 0 : (link.mtu ?? DEFAULT_MTU);
    this.tell('DeviceConnectionResponse', { address, connected: link !== undefined, mtu, error });
  }

  /** `isCached`: the client has the services of the device. */
  private async connect(number: bigint, isCached: boolean): Promise<void> {
    const { slots, log } = this.options;
    const address = addressText(number);
    const earlier = slots.link(address);
    if (earlier !== undefined) {
      // ESPHome has no services of a link that another client made (esphome/esphome issue 18879).
      if (!this.gatt.has(earlier)) this.gatt.connected(number, { link: earlier, services: [] });
      this.tellConnected(number, earlier);
      return;
    }
    // ESPHome too leaves a request unanswered while it connects or disconnects the device.
    if (slots.has(address)) return;
    if (slots.free === 0) {
      // ESPHome sends error 0 if all slots are in use.
      this.tellLink(number, undefined, 0);
      return;
    }
    this.attempts.add(address);
    const connected = await slots.connect(address, isCached);
    this.attempts.delete(address);
    if (connected === undefined) return;
    log.info({ address }, 'the proxy has connected a device');
    this.gatt.connected(number, connected);
    this.tellConnected(number, connected.link);
  }

  private tellConnected(address: bigint, link: NobleLink): void {
    this.tellLink(address, link, 0);
    this.tellSlots();
  }
}
