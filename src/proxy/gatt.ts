/** A client's requests to its connected devices, by handles: services, values, notifications. */
import * as E from 'fp-ts/lib/Either.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import { detached } from '../async/defects.js';
import { AttError } from '../ble/hci/att.js';
import { areParametersAllowed } from '../ble/hci/l2cap-signaling.js';
import { Status } from '../ble/hci/status.js';
import type { FoundService, NobleLink } from '../ble/noble/index.js';
import type { Address, BleError } from '../ble/ports.js';
import {
  addressText,
  ProxyError,
  type ApiConnection,
  type MessageOf,
  type Receivers,
  uuidFields,
  type GattService,
} from '../protocols/esphome/index.js';
import type { Connected } from './slots.js';

/** A service in the form of the API. */
export const gattService = ({ handle, uuid, characteristics }: FoundService): GattService => ({
  ...uuidFields(uuid),
  handle,
  characteristics: characteristics.map((characteristic) => ({
    ...uuidFields(characteristic.uuid),
    handle: characteristic.handle,
    properties: characteristic.properties,
    descriptors: characteristic.descriptors.map((descriptor) => ({
      ...uuidFields(descriptor.uuid),
      handle: descriptor.handle,
    })),
  })),
});

/** The number of a failure in the API: an error of ATT, a reason of HCI, or an error of ESP-IDF. */
export const errorNumber = (error: BleError): number => {
  switch (error._tag) {
    case 'LinkLost':
      return error.reason ?? ProxyError.failed;
    case 'LinkLimit':
      return Status.connectionLimitExceeded;
    case 'ConnectFailed':
      return error.status ?? ProxyError.connectFailed;
    case 'NotFound':
    case 'Timeout':
      return ProxyError.connectFailed;
    case 'Closed':
      return Status.localHostTerminated;
    case 'GattFailed':
      return error.error ?? ProxyError.failed;
    case 'Busy':
    case 'AdapterOff':
    case 'AdapterUnavailable':
      return ProxyError.failed;
  }
};

type ConnectionParameters = Omit<MessageOf<'SetConnectionParamsRequest'>, 'address'>;

type Attribute = MessageOf<'ReadRequest'>;

/** The highest handle of ATT: 16 bits, where messages have 32. */
const LAST_HANDLE = 0xffff;

interface Device extends Connected {
  /** The characteristics whose notifications the client receives. */
  readonly notified: Set<number>;
}

export class ClientGatt {
  private readonly devices = new Map<Address, Device>();

  constructor(private readonly post: ApiConnection['send']) {}

  readonly receivers: Receivers = {
    GetServicesRequest: (request) => detached(this.sendServices(request)),
    ReadRequest: (attribute) => this.read(attribute),
    ReadDescriptorRequest: (attribute) => this.read(attribute),
    WriteRequest: ({ data, response, ...attribute }) => this.write(attribute, data, !response),
    WriteDescriptorRequest: ({ data, ...attribute }) => this.write(attribute, data, false),
    NotifyRequest: (request) => this.notify(request),
    SetConnectionParamsRequest: ({ address, ...parameters }) => {
      this.post('SetConnectionParamsResponse', {
        address,
        error: this.updateParameters(address, parameters),
      });
    },
  };

  connected(number: bigint, connected: Connected): void {
    const notified = new Set<number>();
    this.devices.set(addressText(number), { ...connected, notified });
    connected.link.onNotification((handle, value) => {
      if (notified.has(handle)) this.post('NotifyDataResponse', { address: number, handle, data: value });
    });
  }

  has(link: NobleLink): boolean {
    return this.devices.get(link.address)?.link === link;
  }

  /** Removes a device. False: it was not connected. */
  ended(address: Address): boolean {
    return this.devices.delete(address);
  }

  private link(address: bigint): NobleLink | undefined {
    const link = this.devices.get(addressText(address))?.link;
    return link?.ended === undefined ? link : undefined;
  }

  /** Requests connection parameters; returns the error for the response, 0 without one. */
  private updateParameters(address: bigint, parameters: ConnectionParameters): number {
    const link = this.link(address);
    if (link === undefined) return ProxyError.notConnected;
    const { minInterval, maxInterval, latency, timeout } = parameters;
    if (!areParametersAllowed(minInterval, maxInterval, latency, timeout)) return Status.invalidParameters;
    link.updateParameters(parameters);
    return 0;
  }

  private notify({ address, handle, enable }: MessageOf<'NotifyRequest'>): void {
    const device = this.devices.get(addressText(address));
    if (device === undefined) {
      this.refuse({ address, handle }, ProxyError.notConnected);
      return;
    }
    if (handle > LAST_HANDLE) {
      this.refuse({ address, handle }, AttError.invalidHandle);
      return;
    }
    device.notified[enable ? 'add' : 'delete'](handle);
    this.post('NotifyResponse', { address, handle });
  }

  /** Sends the services of a device; discovers them first if the client connected it with cached services. */
  private async sendServices({ address }: MessageOf<'GetServicesRequest'>): Promise<void> {
    const { services } = this.devices.get(addressText(address)) ?? {};
    const all = (link: NobleLink): TE.TaskEither<BleError, readonly FoundService[]> =>
      services === undefined ? link.attributes : TE.right(services);
    await this.perform({ address, handle: 0 }, all, (discovered) => {
      const areSent = discovered.every((service) =>
        this.post('GetServicesResponse', { address, services: [gattService(service)] }),
      );
      if (areSent) this.post('GetServicesDoneResponse', { address });
      else this.refuse({ address, handle: 0 }, ProxyError.failed);
    });
  }

  private read(attribute: Attribute): void {
    detached(
      this.perform(
        attribute,
        (link) => link.readHandle(attribute.handle),
        (data) => this.post('ReadResponse', { ...attribute, data }),
      ),
    );
  }

  private write(attribute: Attribute, data: Uint8Array, withoutResponse: boolean): void {
    detached(
      this.perform(
        attribute,
        (link) => link.writeHandle(attribute.handle, Buffer.from(data), withoutResponse),
        () => this.post('WriteResponse', attribute),
      ),
    );
  }

  private async perform<A>(
    attribute: Attribute,
    operation: (link: NobleLink) => TE.TaskEither<BleError, A>,
    done: (result: A) => void,
  ): Promise<void> {
    const link = this.link(attribute.address);
    if (link === undefined) {
      this.refuse(attribute, ProxyError.notConnected);
      return;
    }
    if (attribute.handle > LAST_HANDLE) {
      this.refuse(attribute, AttError.invalidHandle);
      return;
    }
    const outcome = await operation(link)();
    if (E.isRight(outcome)) done(outcome.right);
    else this.refuse(attribute, errorNumber(outcome.left));
  }

  private refuse({ address, handle }: Attribute, error: number): void {
    this.post('GattErrorResponse', { address, handle, error });
  }
}
