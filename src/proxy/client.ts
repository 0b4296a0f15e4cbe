/** A client of a proxy: what it asks for, and what it is told. */
import * as E from 'fp-ts/lib/Either.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
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
} from '../esphome/index.js';
import { errorNumber } from './errors.js';
import { capabilities, deviceInfo, hello, type Identity } from './identity.js';
import { gattService } from './services.js';
import type { Connected, Slots } from './slots.js';

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

type Attribute = MessageOf<'ReadRequest'>;

/** A device that the client has connected. */
interface Device extends Connected {
  /** Characteristics whose notifications it wants. */
  readonly notified: Set<number>;
}

export class Client {
  /** Whether it is told of advertisements. */
  listens = false;
  private countsSlots = false;
  /** By device. */
  private readonly devices = new Map<Address, Device>();

  constructor(private readonly options: ClientOptions) {}

  /** What the client has is given back. */
  end(): void {
    this.options.slots.release(this);
    this.listens = false;
  }

  readonly receive = (message: AnyMessage): void => void dispatch(this.receivers, message);

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
    GetServicesRequest: (request) => this.sendServices(request),
    ReadRequest: (attribute) => this.read(attribute),
    ReadDescriptorRequest: (attribute) => this.read(attribute),
    WriteRequest: ({ data, response, ...attribute }) => this.write(attribute, data, !response),
    WriteDescriptorRequest: ({ data, ...attribute }) => this.write(attribute, data, false),
    NotifyRequest: (request) => this.notify(request),
    SetConnectionParamsRequest: ({ address, ...parameters }) => {
      const link = this.options.slots.link(addressText(address), this);
      link?.updateParameters(parameters);
      const error = link === undefined ? ProxyError.notConnected : 0;
      this.options.connection.send('SetConnectionParamsResponse', { address, error });
    },
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
        void this.connect(address);
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

  private async connect(number: bigint): Promise<void> {
    const { connection, slots, log } = this.options;
    const address = addressText(number);
    const own = slots.link(address, this);
    if (own !== undefined) {
      this.tellLink(number, own, 0);
      return;
    }
    const connected = await slots.connect(address, this, (cause) => {
      this.devices.delete(address);
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
    const notified = new Set<number>();
    this.devices.set(address, { ...connected.right, notified });
    link.onNotification((handle, value) => {
      if (notified.has(handle))
        connection.send('NotifyDataResponse', { address: number, handle, data: value });
    });
    this.tellLink(number, link, 0);
  }

  private notify({ address, handle, enable }: MessageOf<'NotifyRequest'>): void {
    const device = this.devices.get(addressText(address));
    if (device === undefined) {
      this.refuse({ address, handle }, ProxyError.notConnected);
      return;
    }
    device.notified[enable ? 'add' : 'delete'](handle);
    this.options.connection.send('NotifyResponse', { address, handle });
  }

  private sendServices({ address }: MessageOf<'GetServicesRequest'>): void {
    const { connection } = this.options;
    const device = this.devices.get(addressText(address));
    if (device === undefined) {
      this.refuse({ address, handle: 0 }, ProxyError.notConnected);
      return;
    }
    for (const service of device.services)
      connection.send('GetServicesResponse', { address, services: [gattService(service)] });
    connection.send('GetServicesDoneResponse', { address });
  }

  private read(attribute: Attribute): void {
    void this.perform(
      attribute,
      (link) => link.readHandle(attribute.handle),
      (data) => this.options.connection.send('ReadResponse', { ...attribute, data }),
    );
  }

  private write(attribute: Attribute, data: Uint8Array, withoutResponse: boolean): void {
    void this.perform(
      attribute,
      (link) => link.writeHandle(attribute.handle, Buffer.from(data), withoutResponse),
      () => this.options.connection.send('WriteResponse', attribute),
    );
  }

  private async perform<A>(
    attribute: Attribute,
    operation: (link: NobleLink) => TE.TaskEither<BleError, A>,
    done: (result: A) => void,
  ): Promise<void> {
    const link = this.options.slots.link(addressText(attribute.address), this);
    if (link === undefined) {
      this.refuse(attribute, ProxyError.notConnected);
      return;
    }
    const outcome = await operation(link)();
    if (E.isRight(outcome)) done(outcome.right);
    else this.refuse(attribute, errorNumber(outcome.left));
  }

  private refuse({ address, handle }: Attribute, error: number): void {
    this.options.connection.send('GattErrorResponse', { address, handle, error });
  }
}
