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
  ProxyError,
  ScannerMode,
  ScannerState,
  type AnyMessage,
  type ApiConnection,
  type MessageOf,
  type RawAdvertisement,
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

  readonly receive = ({ name, message }: AnyMessage): void => {
    const { connection, identity, slots } = this.options;
    switch (name) {
      case 'HelloRequest':
        this.options.log.info({ client: message.clientInfo }, 'a client of the proxy');
        return connection.send('HelloResponse', hello(identity));
      case 'AuthenticationRequest':
        return connection.send('AuthenticationResponse');
      case 'DeviceInfoRequest':
        return connection.send('DeviceInfoResponse', deviceInfo(identity));
      case 'DeviceCapabilitiesRequest':
        return connection.send('DeviceCapabilitiesResponse', capabilities(identity));
      case 'ListEntitiesRequest':
        return connection.send('ListEntitiesDoneResponse');
      case 'SubscribeAdvertisementsRequest':
        return this.listen(true);
      case 'UnsubscribeAdvertisementsRequest':
        return this.listen(false);
      case 'ScannerSetModeRequest':
        return this.tellState();
      case 'SubscribeConnectionsFreeRequest':
        this.countsSlots = true;
        return this.tellSlots();
      case 'DeviceRequest':
        return this.onDeviceRequest(message);
      case 'GetServicesRequest':
        return this.sendServices(message);
      case 'ReadRequest':
      case 'ReadDescriptorRequest':
        return void this.perform(
          message,
          (link) => link.readHandle(message.handle),
          (data) => connection.send('ReadResponse', { ...message, data }),
        );
      case 'WriteRequest':
        return this.write(message, message.data, !message.response);
      case 'WriteDescriptorRequest':
        return this.write(message, message.data, false);
      case 'NotifyRequest':
        return this.notify(message);
      case 'SetConnectionParamsRequest': {
        const link = slots.link(addressText(message.address), this);
        link?.updateParameters(message);
        const error = link === undefined ? ProxyError.notConnected : 0;
        return connection.send('SetConnectionParamsResponse', { address: message.address, error });
      }
      default:
        return undefined;
    }
  };

  /** The slots have changed. */
  tellSlots(): void {
    const { connection, slots } = this.options;
    if (!this.countsSlots) return;
    connection.send('ConnectionsFreeResponse', {
      free: slots.limit - slots.allocated.length,
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
        return void this.connect(address);
      case DeviceRequestType.disconnect:
        if (!slots.disconnect(addressText(address), this)) this.tellLink(address, undefined, 0);
        return;
      case DeviceRequestType.clearCache:
        // Nothing is kept: services are discovered each time that they are asked for.
        return connection.send('ClearCacheResponse', { address, success: true });
      case DeviceRequestType.pair:
        return connection.send('PairingResponse', { address, error: ProxyError.failed });
      case DeviceRequestType.unpair:
        return connection.send('UnpairingResponse', { address, error: ProxyError.failed });
      default:
        return this.tellLink(address, undefined, ProxyError.failed);
    }
  }

  private tellLink(address: bigint, link: NobleLink | undefined, error: number): void {
    const mtu = link === undefined ? 0 : (link.mtu ?? DEFAULT_MTU);
    this.options.connection.send('DeviceConnectionResponse', {
      ...{ address, connected: link !== undefined, mtu, error },
    });
  }

  private async connect(number: bigint): Promise<void> {
    const { connection, slots, log } = this.options;
    const address = addressText(number);
    const own = slots.link(address, this);
    if (own !== undefined) return this.tellLink(number, own, 0);
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
      return this.tellLink(number, undefined, error);
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
    if (device === undefined) return this.refuse({ address, handle }, ProxyError.notConnected);
    device.notified[enable ? 'add' : 'delete'](handle);
    this.options.connection.send('NotifyResponse', { address, handle });
  }

  private sendServices({ address }: MessageOf<'GetServicesRequest'>): void {
    const { connection } = this.options;
    const device = this.devices.get(addressText(address));
    if (device === undefined) return this.refuse({ address, handle: 0 }, ProxyError.notConnected);
    for (const service of device.services)
      connection.send('GetServicesResponse', { address, services: [gattService(service)] });
    connection.send('GetServicesDoneResponse', { address });
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
    if (link === undefined) return this.refuse(attribute, ProxyError.notConnected);
    const outcome = await operation(link)();
    if (E.isRight(outcome)) return done(outcome.right);
    return this.refuse(attribute, errorNumber(outcome.left));
  }

  private refuse({ address, handle }: Attribute, error: number): void {
    this.options.connection.send('GattErrorResponse', { address, handle, error });
  }
}
