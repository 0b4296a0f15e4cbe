import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isolated } from '../../async/defects.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import {
  addressNumber,
  MOST_ATTRIBUTES,
  uuidOf,
  type GattCharacteristic,
  type AnyMessage,
  type GattService,
  type MessageOf,
  type Name,
} from '../../protocols/esphome/index.js';
import { lacking } from '../gatt-profile.js';
import { commandProblem, describeAttError, Property, Uuid as AttUuid, shortest } from '../hci/att.js';
import type { Address, BleError, BleLimits, GattProfile, Link, Uuid } from '../ports.js';
import { QueuedLink } from '../queued-link.js';
import { offeredBy, countAttributes, disproves, type CachedServices } from './services.js';

/** Values of a client characteristic configuration, little-endian (Core 5.4 Vol 3 Part G 3.3.3.3). */
const NOTIFY = Uint8Array.of(1, 0);
const INDICATE = Uint8Array.of(2, 0);

/** The way from a link to its proxy. */
export interface Proxied {
  readonly send: <N extends Name>(name: N, message: Partial<MessageOf<N>>) => void;
  /** Ends the connection to the proxy, which has sent more than a device can have. */
  readonly refuse: (reason: string) => void;
  /** Resolves when the proxy has ended the link. */
  readonly disconnect: Task<void>;
  readonly services: CachedServices;
  /** The cached services with which the link was made; undefined: the link must discover them. */
  readonly cached: readonly GattService[] | undefined;
}

interface Characteristic {
  readonly handle: number;
  readonly properties: number;
  /** The handle of its client configuration, if it has one. */
  readonly configuration: number | undefined;
}

const characteristicOf = ({ handle, properties, descriptors }: GattCharacteristic): Characteristic => ({
  ...{ handle, properties },
  configuration: descriptors.find((entry) => shortest(uuidOf(entry)) === AttUuid.configuration)?.handle,
});

/** A link that a proxy has made: its operations are requests to the proxy, one at a time, each about a handle. */
export class EsphomeLink extends QueuedLink<Characteristic> implements Link {
  private closed: Promise<void> = Promise.resolve();
  /** Whether discovery has found no service; every device has some (Core 5.4 Vol 3 Part C 12). */
  offersNothing = false;

  /** Listeners for notifications, by the handle of the value. */
  private readonly subscribers = new Map<number, (value: Buffer) => void>();
  /** The address as a number, for messages. */
  private readonly number: bigint;
  /** Writes without response that the proxy has not confirmed yet, by handle. */
  private readonly unconfirmed = new Map<number, number>();
  private listener: ((message: AnyMessage) => void) | undefined;

  constructor(
    address: Address,
    readonly mtu: number | null,
    private readonly proxied: Proxied,
    private readonly limits: BleLimits,
    time: TimeSource,
  ) {
    super(address, time);
    this.number = addressNumber(address);
  }

  /** Takes a message that concerns the device. */
  receive(message: AnyMessage): void {
    if (this.ended !== undefined) return;
    if (message.name === 'NotifyDataResponse')
      this.subscribers.get(message.message.handle)?.(Buffer.from(message.message.data));
    else if (!this.confirms(message)) this.listener?.(message);
  }

  /** Reads a client configuration, which has no effect. The answer is ignored, and may be an error: that it comes is enough. */
  ask(): void {
    const configured = [...this.characteristics.values()].find((each) => each.configuration !== undefined);
    const handle = configured?.configuration ?? 0;
    this.proxied.send('ReadDescriptorRequest', { address: this.number, handle });
  }

  /** Finds the services and characteristics of `profile`, which cached services have; all of them must be there. */
  discover(profile: readonly GattProfile[]): TaskEither<BleError, void> {
    const services: GattService[] = [];
    let attributes = 0;
    const find = this.request('discovery', this.limits.discover, 'GetServicesRequest', {}, 0, (message) => {
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
      const { cached, services: cache } = this.proxied;
      if (cached !== undefined) {
        this.learn(cached);
        return E.right(undefined);
      }
      const discovered = await find();
      if (E.isLeft(discovered)) return discovered;
      this.offersNothing = services.length === 0;
      const missing = lacking(profile, offeredBy(services));
      if (missing !== undefined) return E.left(this.gattFailed('discovery', `the device has no ${missing}`));
      cache.keep(this.address, services);
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
          const notified = await this.request(
            'subscription',
            discover,
            'NotifyRequest',
            enable,
            handle,
            (message) => (message.name === 'NotifyResponse' ? true : undefined),
          )();
          const data = (properties & Property.notify) !== 0 ? NOTIFY : INDICATE;
          const enabled = E.isLeft(notified)
            ? notified
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

  /** Ends a link that the device or its proxy has ended, or whose proxy is gone. */
  lost(cause: BleError): void {
    this.end(cause);
  }

  private learn(services: readonly GattService[]): void {
    this.characteristics = new Map(
      services
        .flatMap(({ characteristics }) => characteristics)
        .map((found) => [shortest(uuidOf(found)), characteristicOf(found)]),
    );
    this.watchServices();
  }

  /** Subscribes to the indication with which a device reports changed services (Core 5.4 Vol 3 Part G 7.1). */
  private watchServices(): void {
    const { handle, configuration } = this.characteristics.get(AttUuid.serviceChanged) ?? {};
    if (handle === undefined || configuration === undefined) return;
    this.subscribers.set(handle, () => this.proxied.services.forget(this.address));
    // The answers are ignored.
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

  protected release(): void {
    this.subscribers.clear();
    this.unconfirmed.clear();
    this.listener = undefined;
  }

  /** Sends a write without response; its confirmation is ignored. */
  private command(handle: number, data: Buffer): void {
    this.unconfirmed.set(handle, (this.unconfirmed.get(handle) ?? 0) + 1);
    this.proxied.send('WriteRequest', { address: this.number, handle, response: false, data });
  }

  /** Whether a message is the answer to a write without response: a proxy answers in the order of the requests. */
  private confirms({ name, message }: AnyMessage): boolean {
    if (name !== 'WriteResponse' && name !== 'GattErrorResponse') return false;
    const count = this.unconfirmed.get(message.handle) ?? 0;
    if (count > 1) this.unconfirmed.set(message.handle, count - 1);
    else this.unconfirmed.delete(message.handle);
    return count > 0;
  }

  /** Writes a value or a descriptor, and waits for the answer. */
  private written<N extends 'WriteRequest' | 'WriteDescriptorRequest'>(
    operation: string,
    ms: number,
    name: N,
    message: Partial<MessageOf<N>> & { readonly handle: number },
    begun?: () => void,
  ): TaskEither<BleError, void> {
    const done = (answer: AnyMessage): true | undefined =>
      answer.name === 'WriteResponse' ? true : undefined;
    const request = this.request(operation, ms, name, message, message.handle, done, begun);
    return async () => E.map(() => undefined)(await request());
  }

  /** Sends a request about `handle`; `accept` finds the result in a received message. */
  private request<N extends Name, A>(
    operation: string,
    ms: number,
    name: N,
    message: Partial<MessageOf<N>>,
    handle: number,
    accept: (message: AnyMessage) => A | undefined,
    begun?: () => void,
  ): TaskEither<BleError, A> {
    return this.operation(operation, ms, (answer: (result: E.Either<BleError, A>) => void): Cancel => {
      this.listener = (received) => {
        const { message: body } = received;
        if ('handle' in body && body.handle !== handle) return;
        if (received.name === 'GattErrorResponse') {
          const refused = this.refused(operation, received.message.error);
          if (disproves(refused)) this.proxied.services.forget(this.address);
          answer(E.left(refused));
          return;
        }
        const result = accept(received);
        if (result !== undefined) answer(E.right(result));
      };
      begun?.();
      this.proxied.send(name, { ...message, address: this.number });
      return () => (this.listener = undefined);
    });
  }

  private refused(operation: string, error: number): BleError {
    return error > 0
      ? this.gattFailed(operation, `the device refused: ${describeAttError(error)}`, error)
      : this.gattFailed(operation, `the proxy failed (error ${error})`);
  }
}
