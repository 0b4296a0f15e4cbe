/** The common part of all devices of the fake radio: they can be linked, lost and held up. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Address, Advertisement, BleError, GattProfile, Link } from '../../src/ble/ports.js';

/** An advertisement without the time of its reception. */
export type DeviceAdvertisement = Omit<Advertisement, 'heardAt'>;

type EndListener = (cause: BleError) => void;

export const addTo = <A>(set: Set<A>, value: A): (() => void) => {
  set.add(value);
  return () => void set.delete(value);
};

export class FakeLink implements Link {
  ended: BleError | undefined;
  readonly endListeners = new Set<EndListener>();
  readonly rssi = (): Promise<E.Either<BleError, number>> => Promise.resolve(E.right(-50));

  constructor(
    private readonly device: FakeDevice,
    readonly address: Address,
  ) {}

  get mtu(): number | null {
    return this.device.mtu;
  }

  onEnd(listener: EndListener): () => void {
    if (this.ended !== undefined) {
      listener(this.ended);
      return () => undefined;
    }
    return addTo(this.endListeners, listener);
  }

  notifies(characteristic: string): boolean {
    return this.device.notifies(characteristic);
  }

  read(characteristic: string): TaskEither<BleError, Buffer> {
    return () => this.operation(() => this.device.read(characteristic));
  }

  write(
    characteristic: string,
    value: Buffer,
    _withoutResponse?: boolean,
    begun?: () => void,
  ): TaskEither<BleError, void> {
    return () =>
      this.operation(() => {
        begun?.();
        return this.device.written(characteristic, value);
      });
  }

  subscribe(characteristic: string, listener: (value: Buffer) => void): TaskEither<BleError, void> {
    return () => this.operation(() => this.device.subscribed(characteristic, listener));
  }

  readonly disconnect = (): Promise<void> => {
    this.end({ _tag: 'Closed', address: this.address });
    return Promise.resolve();
  };

  fail(cause: BleError): void {
    this.end(cause);
  }

  end(cause: BleError): void {
    if (this.ended !== undefined) return;
    this.ended = cause;
    const listeners = [...this.endListeners];
    this.endListeners.clear();
    this.device.linkEnded();
    for (const listener of listeners) listener(cause);
  }

  /** Ends early with the cause of the link's end, as in a real link. */
  private operation<A>(work: () => Promise<E.Either<BleError, A>>): Promise<E.Either<BleError, A>> {
    if (this.ended !== undefined) return Promise.resolve(E.left(this.ended));
    return new Promise((resolve, reject) => {
      const forget = this.onEnd((cause) => resolve(E.left(cause)));
      work().then((outcome) => {
        forget();
        resolve(outcome);
      }, reject);
    });
  }
}

export abstract class FakeDevice {
  link: FakeLink | undefined;
  mtu: number | null = null;
  connects = 0;
  connectsGivenUp = 0;
  /** The failures of the next connects, in order. */
  connectFailures: BleError[] = [];
  /** Connects wait until `release`. */
  holdConnect = false;
  private waiting: (() => void)[] = [];

  constructor(
    readonly address: Address,
    protected readonly radio: { changed(): void },
  ) {}

  abstract get advertisement(): DeviceAdvertisement;
  abstract written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>>;
  abstract subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>>;
  protected abstract unlinked(): void;

  protected offers(_service: string): boolean {
    return true;
  }

  notifies(_characteristic: string): boolean {
    return true;
  }

  read(_characteristic: string): Promise<E.Either<BleError, Buffer>> {
    return Promise.resolve(E.left(this.refusal('read')));
  }

  linkEnded(): void {
    this.link = undefined;
    this.unlinked();
    this.radio.changed();
  }

  /** Loses the link, as when the device is out of range. */
  lose(reason = 8): void {
    this.link?.end({ _tag: 'LinkLost', address: this.address, reason });
  }

  release(): void {
    const { waiting } = this;
    this.waiting = [];
    this.holdConnect = false;
    for (const resume of waiting) resume();
  }

  refusal(operation: string): BleError {
    return { _tag: 'GattFailed', address: this.address, operation, reason: 'refused' };
  }

  async connect(
    profile: readonly GattProfile[],
    signal: AbortSignal | undefined,
  ): Promise<E.Either<BleError, Link>> {
    this.connects += 1;
    this.radio.changed();
    const closed: BleError = { _tag: 'Closed', address: this.address };
    if (signal?.aborted === true) return E.left(closed);
    if (this.holdConnect) {
      const aborted = await this.hold(signal);
      if (aborted) {
        this.connectsGivenUp += 1;
        this.radio.changed();
        return E.left(closed);
      }
    }
    const failure = this.connectFailures.shift();
    if (failure !== undefined) return E.left(failure);
    if (!profile.every(({ service }) => this.offers(service))) return E.left(this.refusal('discovery'));
    this.link = new FakeLink(this, this.address);
    this.radio.changed();
    return E.right(this.link);
  }

  /** Waits for `release`; true if `signal` ended the wait. */
  protected hold(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const aborted = (): void => resolve(true);
      signal?.addEventListener('abort', aborted, { once: true });
      this.waiting.push(() => {
        signal?.removeEventListener('abort', aborted);
        resolve(false);
      });
    });
  }
}

/** A device that keeps the commands that it received. */
export abstract class CommandedDevice<C extends { readonly _tag: string }> extends FakeDevice {
  commands: C[] = [];
  /** Commands whose writes wait until `release`. */
  readonly holds = new Set<C['_tag']>();
  /** Called with each command before the device handles it. */
  onCommand: (command: C) => void = () => undefined;

  sent(tag: C['_tag']): readonly C[] {
    return this.commands.filter(({ _tag }) => _tag === tag);
  }

  override release(): void {
    this.holds.clear();
    super.release();
  }

  /** Resolves when the device may carry the command out. */
  protected async receive(command: C): Promise<void> {
    this.commands.push(command);
    this.onCommand(command);
    this.radio.changed();
    if (this.holds.has(command._tag)) await this.hold(undefined);
  }
}
