import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isolated } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import {
  MOST_ATTRIBUTES,
  uuidOf,
  type GattCharacteristic,
  type GattService,
} from '../../protocols/esphome/index.js';
import { commandProblem, Property, Uuid as AttUuid, shortest } from '../hci/att.js';
import type { Address, BleError, BleLimits, GattProfile, Link, Uuid } from '../ports.js';
import { RequestingLink, type Proxied } from './requesting-link.js';
import { countAttributes, lacking } from './services.js';

/** Values of a client characteristic configuration, little-endian (Core 5.4 Vol 3 Part G 3.3.3.3). */
const NOTIFY = Uint8Array.of(1, 0);
const INDICATE = Uint8Array.of(2, 0);

interface Characteristic {
  readonly handle: number;
  readonly properties: number;
  /** The handle of its client configuration, if it has one. */
  readonly configuration: number | undefined;
}

const characteristicOf = ({ handle, properties, descriptors }: GattCharacteristic): Characteristic => ({
  ...{ handle, properties },
  configuration: descriptors.find((one) => shortest(uuidOf(one)) === AttUuid.configuration)?.handle,
});

/** A link that a proxy has made. */
export class EsphomeLink extends RequestingLink<Characteristic> implements Link {
  private closed: Promise<void> = Promise.resolve();
  /** Whether discovery has found nothing at all, which every device has (Core 5.4 Vol 3 Part C 12). */
  offersNothing = false;

  constructor(
    address: Address,
    readonly mtu: number | null,
    proxied: Proxied,
    private readonly limits: BleLimits,
    time: TimeSource,
  ) {
    super(address, proxied, time);
  }

  /** Finds the services and characteristics of `profile`, which known ones have; all of them must be there. */
  discover(profile: readonly GattProfile[]): TaskEither<BleError, void> {
    const services: GattService[] = [];
    let attributes = 0;
    const ask = this.request('discovery', this.limits.discover, 'GetServicesRequest', {}, 0, (message) => {
      if (message.name === 'GetServicesResponse') {
        services.push(...message.message.services);
        attributes += countAttributes(message.message.services);
        if (attributes > MOST_ATTRIBUTES)
          this.proxied.refuse(`a device has more than ${MOST_ATTRIBUTES} attributes`);
      }
      return message.name === 'GetServicesDoneResponse' ? true : undefined;
    });
    return async () => {
      if (profile.length === 0) return E.right(undefined);
      const { known, services: kept } = this.proxied;
      if (known !== undefined) {
        this.learn(known);
        return E.right(undefined);
      }
      const asked = await ask();
      if (E.isLeft(asked)) return asked;
      this.offersNothing = services.length === 0;
      const missing = lacking(profile, services);
      if (missing !== undefined) return E.left(this.gattFailed('discovery', `the device has no ${missing}`));
      kept.keep(this.address, services);
      this.learn(services);
      return E.right(undefined);
    };
  }

  notifies(uuid: Uuid): boolean {
    return ((this.characteristics.get(shortest(uuid))?.properties ?? 0) & Property.notify) !== 0;
  }

  read(uuid: Uuid): TaskEither<BleError, Buffer> {
    return this.onCharacteristic('read', uuid, ({ handle }) =>
      this.request('read', this.limits.gatt, 'ReadRequest', { handle }, handle, (message) =>
        message.name === 'ReadResponse' ? Buffer.from(message.message.data) : undefined,
      ),
    );
  }

  write(uuid: Uuid, value: Buffer, withoutResponse = false, begun?: () => void): TaskEither<BleError, void> {
    return this.onCharacteristic('write', uuid, ({ handle, properties }) => {
      const response = !withoutResponse && (properties & Property.write) !== 0;
      if (response)
        return this.written(
          'write',
          this.limits.gatt,
          'WriteRequest',
          { handle, response, data: value },
          begun,
        );
      return this.operation('write', this.limits.gatt, (answer) => {
        const problem = this.mtu === null ? undefined : commandProblem(value, this.mtu);
        if (problem !== undefined) {
          answer(E.left(this.gattFailed('write', problem)));
          return undefined;
        }
        begun?.();
        this.command(handle, value);
        answer(E.right(undefined));
        return undefined;
      });
    });
  }

  subscribe(uuid: Uuid, listener: (value: Buffer) => void): TaskEither<BleError, void> {
    return this.onCharacteristic(
      'subscription',
      uuid,
      ({ handle, properties, configuration }) =>
        async () => {
          if (configuration === undefined)
            return E.left(this.gattFailed('subscription', `characteristic ${uuid} cannot notify`));
          this.subscribers.set(handle, isolated(listener));
          const { discover } = this.limits;
          const enable = { handle, enable: true };
          const wanted = await this.request(
            'subscription',
            discover,
            'NotifyRequest',
            enable,
            handle,
            (message) => (message.name === 'NotifyResponse' ? true : undefined),
          )();
          const data = (properties & Property.notify) !== 0 ? NOTIFY : INDICATE;
          const enabled = E.isLeft(wanted)
            ? wanted
            : await this.written('subscription', discover, 'WriteDescriptorRequest', {
                handle: configuration,
                data,
              })();
          if (E.isLeft(enabled)) this.subscribers.delete(handle);
          return enabled;
        },
    );
  }

  /** A proxy reports the signal of advertisements alone, and a linked device does not advertise. */
  readonly rssi: TaskEither<BleError, number | null> = () =>
    Promise.resolve(this.ended === undefined ? E.right(null) : E.left(this.ended));

  /** Ended by the device, by its proxy, or with the connection to that. */
  lost(cause: BleError): void {
    this.end(cause);
  }

  private learn(services: readonly GattService[]): void {
    this.characteristics = new Map(
      services
        .flatMap(({ characteristics }) => characteristics)
        .map((one) => [shortest(uuidOf(one)), characteristicOf(one)]),
    );
    this.watchServices();
  }

  /** A device that changes its services indicates it to those who want to know (Core 5.4 Vol 3 Part G 7.1). */
  private watchServices(): void {
    const { handle, configuration } = this.characteristics.get(AttUuid.serviceChanged) ?? {};
    if (handle === undefined || configuration === undefined) return;
    this.subscribers.set(handle, () => this.proxied.services.forget(this.address));
    // Nothing waits for the answers.
    this.proxied.send('NotifyRequest', { address: this.number, handle, enable: true });
    this.proxied.send('WriteDescriptorRequest', {
      ...{ address: this.number, handle: configuration, data: INDICATE },
    });
  }

  protected close(cause: BleError): Promise<void> {
    if (this.ended === undefined) {
      this.closed = this.proxied.disconnect();
      this.end(cause);
    }
    return this.closed;
  }
}
