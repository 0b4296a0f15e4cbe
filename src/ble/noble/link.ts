import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import { isolated, Listeners } from '../../async/defects.js';
import type { TimeSource } from '../../async/time.js';
import type { BleError, BleLimits, GattProfile, Link, Unsubscribe, Uuid } from '../ports.js';
import { QueuedLink, type Settle } from '../queued-link.js';
import { commandProblem, DEFAULT_MTU, Property, type AttFailure } from '../hci/att.js';
import {
  enableNotifications,
  isResponse,
  readValue,
  writeCommand,
  writeValue,
  type SendRequest,
  type Attributes,
} from './gatt.js';
import { discoverAll, findProfile, type FoundService } from './attributes.js';
import type { NoblePeripheral } from './internals.js';
import { attCommand, attRequest, neverPair, onceAgreed, strengthOf, updateConnection } from './noble.js';

/**
 * The ATT_MTU that noble requests of every device. noble mistakes the device's response for the ATT_MTU, which is the lesser of both
 * (Core 5.4 Vol 3 Part F 3.4.2).
 */
const REQUESTED_MTU = 256;

/**
 * How long the controller may take to end a link before the link counts as ended anyway, ms: if the device is gone, the
 * controller takes until the supervision timeout of 4 s.
 */
export const DISCONNECT_LIMIT = 5000;

/** In the units of the Core (5.4 Vol 4 Part E 7.8.18): intervals 1.25 ms, timeout 10 ms. */
export interface ConnectionParameters {
  readonly minInterval: number;
  readonly maxInterval: number;
  /** Connection events that the device may leave out. */
  readonly latency: number;
  readonly timeout: number;
}

/** A link of noble. */
export class NobleLink extends QueuedLink<Attributes> implements Link {
  private readonly notifications = new Listeners<{ readonly handle: number; readonly value: Buffer }>();
  /** Resolved when the controller has ended the link. */
  private closed: Promise<void> = Promise.resolve();
  private resolveClosed = (): void => undefined;
  private readonly agreed: Promise<void>;

  constructor(
    private readonly peripheral: NoblePeripheral,
    private readonly limits: BleLimits,
    time: TimeSource,
  ) {
    super(peripheral.address.toUpperCase(), time);
    this.agreed = new Promise((resolve) => onceAgreed(peripheral, resolve));
    peripheral.on('handleNotify', (handle: number, value: Buffer) =>
      this.notifications.call({ handle, value }),
    );
    peripheral.once(
      'disconnect',
      isolated((reason: number | undefined) =>
        this.end({ _tag: 'LinkLost', address: this.address, reason: reason ?? null }),
      ),
    );
  }

  get mtu(): number | null {
    const { mtu } = this.peripheral;
    return mtu === null ? null : Math.min(mtu, REQUESTED_MTU);
  }

  /** Finds the services and characteristics of `profile`; all of them must be there. */
  discover(profile: readonly GattProfile[]): TaskEither<BleError, void> {
    if (profile.length === 0) return () => Promise.resolve(E.right(undefined));
    return this.byHandle('discovery', this.limits.discover, async () => {
      const characteristics = await findProfile(this.sendRequest, profile);
      if (E.isRight(characteristics)) this.characteristics = characteristics.right;
      return E.map(() => undefined)(characteristics);
    });
  }

  /** Sends a request of ATT, and resolves with its response, which may be an error; noble never pairs on this link from then on. */
  request(request: Buffer): TaskEither<BleError, Buffer> {
    return this.operation('request', this.limits.gatt, (settle: Settle<Buffer>) => {
      neverPair(this.peripheral);
      attRequest(this.peripheral, request, (response) => settle(E.right(response)));
      return undefined;
    });
  }

  /** All services with their characteristics and descriptors, by handles; `discover` is not necessary. */
  readonly attributes: TaskEither<BleError, readonly FoundService[]> = () =>
    this.byHandle('discovery', this.limits.discover, () => discoverAll(this.sendRequest))();

  /** Resolves when `mtu` has been agreed with the device. */
  readonly agreement: TaskEither<BleError, void> = () =>
    this.perform('MTU exchange', this.limits.gatt, () => this.agreed.then(() => E.right(undefined)))();

  /** Reads the value of any attribute. */
  readHandle(handle: number): TaskEither<BleError, Buffer> {
    return this.byHandle('read', this.limits.gatt, () =>
      readValue(this.sendRequest, handle, this.longestPdu),
    );
  }

  /** Writes any attribute, with response or without. */
  writeHandle(
    handle: number,
    value: Buffer,
    withoutResponse: boolean,
    begun?: () => void,
  ): TaskEither<BleError, void> {
    return this.byHandle('write', this.limits.gatt, () => {
      begun?.();
      return withoutResponse
        ? this.command(handle, value)
        : writeValue(this.sendRequest, handle, value, this.longestPdu);
    });
  }

  /** Calls back with notifications and indications, and the handles of their values. */
  onNotification(listener: (handle: number, value: Buffer) => void): Unsubscribe {
    return this.notifications.add(({ handle, value }) => {
      if (this.ended === undefined) listener(handle, value);
    });
  }

  /** Requests other connection parameters of the controller; the device may refuse them without a trace. */
  updateParameters(parameters: ConnectionParameters): void {
    updateConnection(this.peripheral, parameters);
  }

  notifies(uuid: Uuid): boolean {
    return ((this.characteristics.get(uuid)?.properties ?? 0) & Property.notify) !== 0;
  }

  read(uuid: Uuid): TaskEither<BleError, Buffer> {
    return this.onCharacteristic('read', uuid, ({ valueHandle }) => this.readHandle(valueHandle));
  }

  write(uuid: Uuid, value: Buffer, withoutResponse = false, begun?: () => void): TaskEither<BleError, void> {
    return this.onCharacteristic('write', uuid, ({ valueHandle, properties }) =>
      this.writeHandle(valueHandle, value, withoutResponse || (properties & Property.write) === 0, begun),
    );
  }

  subscribe(uuid: Uuid, listener: (value: Buffer) => void): TaskEither<BleError, void> {
    return this.onCharacteristic('subscription', uuid, (attributes) =>
      this.byHandle('subscription', this.limits.discover, async () => {
        const unlisten = this.onNotification((handle, notified) => {
          if (handle === attributes.valueHandle) listener(notified);
        });
        const enabled = await enableNotifications(this.sendRequest, attributes);
        if (E.isLeft(enabled)) unlisten();
        return enabled;
      }),
    );
  }

  readonly rssi: TaskEither<BleError, number | null> = () =>
    this.operation('RSSI', this.limits.gatt, (settle: Settle<number | null>) => {
      const onUpdate = (rssi: number): void => settle(E.right(strengthOf(rssi)));
      this.peripheral.once('rssiUpdate', onUpdate);
      this.peripheral.updateRssi();
      // A silent adapter does not end the link.
      const cancel = this.time.after(this.limits.gatt / 2, () => settle(E.right(null)));
      return () => {
        cancel();
        this.peripheral.removeListener('rssiUpdate', onUpdate);
      };
    })();

  protected close(cause: BleError): Promise<void> {
    if (this.ended !== undefined) return this.closed;
    const { peripheral, time } = this;
    this.closed = new Promise((resolve) => {
      const forced = time.after(DISCONNECT_LIMIT, resolve);
      this.resolveClosed = () => {
        forced();
        resolve();
      };
    });
    this.end(cause);
    peripheral.once('disconnect', this.resolveClosed);
    peripheral.disconnect();
    return this.closed;
  }

  /** Ends a link whose adapter is gone, even one that is about to end. */
  adapterGone(cause: BleError): void {
    this.end(cause);
    this.resolveClosed();
  }

  protected release(): void {
    this.peripheral.removeAllListeners();
  }

  private readonly sendRequest: SendRequest = (request) =>
    new Promise((resolve) => {
      if (this.ended !== undefined) return;
      attRequest(this.peripheral, request, (response) => {
        if (isResponse(request, response)) resolve(response);
        else
          this.fail(this.gattFailed('request', `the response makes no sense: ${response.toString('hex')}`));
      });
    });

  private command(handle: number, value: Buffer): Promise<E.Either<AttFailure, void>> {
    const reason = commandProblem(value, this.longestPdu);
    if (reason !== undefined) return Promise.resolve(E.left({ reason }));
    return new Promise((resolve) =>
      attCommand(this.peripheral, writeCommand(handle, value), () => resolve(E.right(undefined))),
    );
  }

  private get longestPdu(): number {
    return this.mtu ?? DEFAULT_MTU;
  }

  private byHandle<A>(
    operation: string,
    ms: number,
    run: () => Promise<E.Either<AttFailure, A>>,
  ): TaskEither<BleError, A> {
    return this.perform(operation, ms, async () =>
      E.mapLeft(({ reason, error }: AttFailure) => this.gattFailed(operation, reason, error))(await run()),
    );
  }
}
