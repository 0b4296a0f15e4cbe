/** A client of a proxy: its requests, and the messages to it. */
import type { Logger } from 'pino';
import { detached } from '../async/defects.js';
import { DEFAULT_MTU } from '../ble/hci/att.js';
import { Status } from '../ble/hci/status.js';
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

/** A slow client for which more bytes than this wait gets no advertisements. */
const MOST_UNSENT = 262_144;

export interface ClientOptions {
  readonly connection: ApiConnection;
  readonly identity: Identity;
  readonly slots: Slots<Client>;
  readonly log: Logger;
  readonly state: () => AdapterState;
  /** Sends all waiting advertisements. */
  readonly flush: () => void;
  readonly isSubscribed: (client: Client) => boolean;
  /** Whether the link to a device, or the attempt to make it, is the client's; also for reserved slots. */
  readonly isOwn: (client: Client, address: Address) => boolean;
  /** Called with true when it subscribes to messages about Bluetooth, and with false when it unsubscribes. */
  readonly subscribe: (client: Client, begins: boolean) => void;
}

export class Client {
  private readonly gatt: ClientGatt;
  private countsSlots = false;

  constructor(private readonly options: ClientOptions) {
    this.gatt = new ClientGatt(this.post);
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
    // The proxy always scans actively.
    ScannerSetModeRequest: () => this.postState(),
    DeviceRequest: (request) => this.onDeviceRequest(request),
  };

  /** Sends a message about Bluetooth if this client is a subscriber. */
  private readonly post: ApiConnection['send'] = (name, message) =>
    !this.options.isSubscribed(this) || this.options.connection.send(name, message);

  private get freeSlots(): MessageOf<'ConnectionsFreeResponse'> {
    const { free, allocated } = this.options.slots;
    const own = allocated.filter((address) => this.isOwn(address));
    // bleak-esphome takes its links for wrong unless these numbers agree.
    return { free, limit: own.length + free, allocated: own.map(addressNumber) };
  }

  /** Sends the changed slots. */
  postSlots(): void {
    if (this.countsSlots) this.post('ConnectionsFreeResponse', this.freeSlots);
  }

  /** Sends the state of the adapter, after a change or for a new subscriber. */
  postState(): void {
    this.post('ScannerStateResponse', {
      state: this.options.state() === 'poweredOn' ? ScannerState.running : ScannerState.failed,
      ...{ mode: ScannerMode.active, configuredMode: ScannerMode.active },
    });
  }

  advertisements(advertisements: readonly RawAdvertisement[]): void {
    if (this.options.connection.unsent <= MOST_UNSENT)
      this.post('RawAdvertisementsResponse', { advertisements });
  }

  /** Ends the connection if the client does not answer. */
  probe(): void {
    this.options.connection.probe();
  }

  private isOwn(address: Address): boolean {
    return this.options.isOwn(this, address);
  }

  /** Reports that a link has ended, or an attempt has failed. */
  linkEnded(address: Address, cause: BleError): void {
    const wasUp = this.gatt.ended(address);
    this.options.log.info(
      { address, cause },
      wasUp ? 'a link of the proxy has ended' : 'the proxy could not connect a device',
    );
    this.postLink(addressNumber(address), undefined, errorNumber(cause));
  }

  private onDeviceRequest({ address, requestType }: MessageOf<'DeviceRequest'>): void {
    const { slots } = this.options;
    switch (requestType) {
      case DeviceRequestType.connect:
      case DeviceRequestType.connectWithCache:
        detached(this.connect(address, requestType === DeviceRequestType.connectWithCache));
        break;
      case DeviceRequestType.disconnect:
        if (slots.has(addressText(address)) && this.isOwn(addressText(address)))
          slots.disconnect(addressText(address));
        else {
          this.postLink(address, undefined, 0);
          this.postSlots();
        }
        break;
      case DeviceRequestType.clearCache:
        // There is no cache: services are discovered with each connection.
        this.post('ClearCacheResponse', { address, success: true });
        break;
      case DeviceRequestType.pair:
        this.post('PairingResponse', { address, error: ProxyError.failed });
        break;
      case DeviceRequestType.unpair:
        this.post('UnpairingResponse', { address, error: ProxyError.failed });
        break;
      default:
        this.postLink(address, undefined, ProxyError.failed);
    }
  }

  private postLink(address: bigint, link: NobleLink | undefined, error: number): void {
    // Waiting advertisements come first.
    this.options.flush();
    const mtu = link === undefined ? 0 : (link.mtu ?? DEFAULT_MTU);
    this.post('DeviceConnectionResponse', { address, connected: link !== undefined, mtu, error });
  }

  /** `isCached`: the client has cached the services of the device. */
  private async connect(number: bigint, isCached: boolean): Promise<void> {
    const { slots, log } = this.options;
    const address = addressText(number);
    if (slots.has(address) && !this.isOwn(address)) {
      // That client may have vanished: this one may even be the same one, after a loss.
      slots.owner(address)?.probe();
      this.postLink(number, undefined, Status.connectionAlreadyExists);
      return;
    }
    const earlier = slots.link(address);
    if (earlier !== undefined) {
      // ESPHome has no services of a link that another client made (esphome/esphome issue 18879).
      if (!this.gatt.has(earlier)) this.gatt.connected(number, { link: earlier, services: [] });
      slots.give(address, this);
      this.postConnected(number, earlier);
      return;
    }
    // ESPHome too leaves a request unanswered while it connects or disconnects the device.
    if (slots.has(address)) return;
    if (slots.free === 0) {
      // ESPHome sends error 0 if all slots are in use.
      this.postLink(number, undefined, 0);
      return;
    }
    const connected = await slots.connect(address, isCached, this);
    if (connected === undefined) return;
    log.info({ address }, 'the proxy has connected a device');
    this.gatt.connected(number, connected);
    this.postConnected(number, connected.link);
  }

  private postConnected(address: bigint, link: NobleLink): void {
    this.postLink(address, link, 0);
    this.postSlots();
  }
}
