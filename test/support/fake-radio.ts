/** A radio and dice that do exactly what a test tells them, at once. */
import * as E from 'fp-ts/lib/Either.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { AdapterState, Address, Advertisement, BleError, Link, Radio } from '../../src/ble/ports.js';
import {
  decodeCommand,
  encodeNotification,
  NUS_NOTIFY,
  NUS_SERVICE,
  NUS_WRITE,
  type Command,
  type Notification,
} from '../../src/dice/protocol/index.js';

type EndListener = (why: BleError) => void;

const addTo = <A>(set: Set<A>, value: A): (() => void) => {
  set.add(value);
  return () => void set.delete(value);
};

export class FakeLink implements Link {
  ended: BleError | undefined;
  readonly endListeners = new Set<EndListener>();
  readonly rssi = (): Promise<E.Either<BleError, number>> => Promise.resolve(E.right(-50));

  constructor(
    private readonly die: FakeDie,
    readonly address: Address,
  ) {}

  onEnd(listener: EndListener): () => void {
    if (this.ended !== undefined) {
      listener(this.ended);
      return () => undefined;
    }
    return addTo(this.endListeners, listener);
  }

  read(): TaskEither<BleError, Buffer> {
    return () => Promise.resolve(E.left(this.die.refusal('read')));
  }

  write(characteristic: string, value: Buffer): TaskEither<BleError, void> {
    return () => this.operation(() => this.die.written(characteristic, value));
  }

  subscribe(characteristic: string, listener: (value: Buffer) => void): TaskEither<BleError, void> {
    return () => this.operation(() => this.die.subscribed(characteristic, listener));
  }

  readonly disconnect = (): Promise<void> => {
    this.end({ _tag: 'Closed', address: this.address });
    return Promise.resolve();
  };

  poison(why: BleError): void {
    this.end(why);
  }

  end(why: BleError): void {
    if (this.ended !== undefined) return;
    this.ended = why;
    const listeners = [...this.endListeners];
    this.endListeners.clear();
    this.die.unlinked();
    for (const listener of listeners) listener(why);
  }

  /** Ends early with why the link ended, as the real one does. */
  private operation(work: () => Promise<E.Either<BleError, void>>): Promise<E.Either<BleError, void>> {
    if (this.ended !== undefined) return Promise.resolve(E.left(this.ended));
    return new Promise((resolve) => {
      const forget = this.onEnd((why) => resolve(E.left(why)));
      void work().then((outcome) => {
        forget();
        resolve(outcome);
      });
    });
  }
}

export interface DieScript {
  readonly name?: string | null;
  readonly rssi?: number;
  readonly serviceUuids?: readonly string[];
  readonly heard?: boolean;
}

/** What a die says after it was initialised, unless a test says otherwise: lies on the 3 of a d6. */
export const BURST: readonly Notification[] = [
  { _tag: 'Battery', level: 80 },
  { _tag: 'Stable', acceleration: { x: 1, y: 63, z: -2 } },
  { _tag: 'Charging', on: false },
];

export class FakeDie {
  readonly name: string | null;
  readonly rssi: number;
  readonly serviceUuids: readonly string[];
  link: FakeLink | undefined;
  /** How often a link was asked for. */
  connects = 0;
  connectsGivenUp = 0;
  commands: Command[] = [];
  /** Why the next links fail, in order. */
  connectFailures: BleError[] = [];
  /** Which commands fail, and how. */
  refuses = new Map<Command['_tag'], BleError>();
  burst: readonly Notification[] = BURST;
  batteryLevel: number | null = 57;
  /** Commands whose writes wait until `release`. */
  holds = new Set<Command['_tag']>();
  /** A connect that waits until `release`. */
  holdConnect = false;
  private held: (() => void)[] = [];
  private listener: ((value: Buffer) => void) | undefined;

  constructor(
    readonly address: Address,
    private readonly radio: FakeRadio,
    { name = 'GoDice_1A2B3C_R_v04', rssi = -60, serviceUuids = [NUS_SERVICE] }: DieScript,
  ) {
    this.name = name;
    this.rssi = rssi;
    this.serviceUuids = serviceUuids;
  }

  get advertisement(): Advertisement {
    const { address, name, rssi, serviceUuids } = this;
    return { address, name, rssi, serviceUuids, connectable: true, serviceData: [] };
  }

  sent(tag: Command['_tag']): readonly Command[] {
    return this.commands.filter(({ _tag }) => _tag === tag);
  }

  /** Notifies; a die without a link says nothing. */
  say(...notifications: readonly Notification[]): void {
    for (const notification of notifications) this.sayBytes(encodeNotification(notification));
  }

  sayBytes(bytes: Buffer): void {
    this.listener?.(bytes);
  }

  /** Loses the link, as when the die walks out of range. */
  lose(reason = 8): void {
    this.link?.end({ _tag: 'LinkLost', address: this.address, reason });
  }

  release(): void {
    const { held } = this;
    this.held = [];
    this.holds.clear();
    this.holdConnect = false;
    for (const resume of held) resume();
  }

  refusal(operation: string): BleError {
    return { _tag: 'GattFailed', address: this.address, operation, reason: 'refused' };
  }

  async connect(signal: AbortSignal | undefined): Promise<E.Either<BleError, Link>> {
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
    this.link = new FakeLink(this, this.address);
    this.radio.changed();
    return E.right(this.link);
  }

  async subscribed(
    characteristic: string,
    listener: (value: Buffer) => void,
  ): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    if (characteristic !== NUS_NOTIFY) return E.left(this.refusal('subscribe'));
    this.listener = listener;
    return E.right(undefined);
  }

  async written(characteristic: string, value: Buffer): Promise<E.Either<BleError, void>> {
    await Promise.resolve();
    const command = decodeCommand(value);
    if (characteristic !== NUS_WRITE || E.isLeft(command)) return E.left(this.refusal('write'));
    const { right } = command;
    this.commands.push(right);
    this.radio.changed();
    if (this.holds.has(right._tag)) await this.hold(undefined);
    const refusal = this.refuses.get(right._tag);
    if (refusal !== undefined) return E.left(refusal);
    this.answer(right);
    return E.right(undefined);
  }

  unlinked(): void {
    this.link = undefined;
    this.listener = undefined;
    this.radio.changed();
  }

  private answer(command: Command): void {
    if (command._tag === 'Initialise') this.say(...this.burst);
    if (command._tag === 'Battery' && this.batteryLevel !== null) {
      this.say({ _tag: 'Battery', level: this.batteryLevel });
    }
    if (command._tag === 'Colour') this.say({ _tag: 'Colour', colour: 'red' });
  }

  /** True if `signal` ended it. */
  private hold(signal: AbortSignal | undefined): Promise<boolean> {
    return new Promise((resolve) => {
      const aborted = (): void => resolve(true);
      signal?.addEventListener('abort', aborted, { once: true });
      this.held.push(() => {
        signal?.removeEventListener('abort', aborted);
        resolve(false);
      });
    });
  }
}

export class FakeRadio implements Radio {
  state: AdapterState = 'poweredOn';
  readonly listeners = new Set<(advertisement: Advertisement) => void>();
  readonly stateListeners = new Set<(state: AdapterState) => void>();
  private readonly dice = new Map<Address, FakeDie>();
  private readonly advertised = new Map<Address, Advertisement>();
  private readonly watchers = new Set<() => void>();

  /** A die in range; heard already unless the script says otherwise. */
  add(address: Address, script: DieScript = {}): FakeDie {
    const die = new FakeDie(address, this, script);
    this.dice.set(address, die);
    if (script.heard !== false) this.advertised.set(address, die.advertisement);
    return die;
  }

  advertise(die: FakeDie, changes: Partial<Advertisement> = {}): void {
    const advertisement = { ...die.advertisement, ...changes };
    this.advertised.set(die.address, advertisement);
    for (const listener of [...this.listeners]) listener(advertisement);
  }

  forget(die: FakeDie): void {
    this.advertised.delete(die.address);
  }

  power(state: AdapterState): void {
    this.state = state;
    for (const listener of [...this.stateListeners]) listener(state);
  }

  /** Resolves as soon as `check` is true of the radio or its dice. */
  until(check: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const watcher = (): void => {
        if (!check()) return;
        this.watchers.delete(watcher);
        resolve();
      };
      this.watchers.add(watcher);
      watcher();
    });
  }

  /** Somebody listens. */
  get heeded(): Promise<void> {
    return this.until(() => this.listeners.size > 0);
  }

  changed(): void {
    for (const watcher of [...this.watchers]) watcher();
  }

  onState(listener: (state: AdapterState) => void): () => void {
    return addTo(this.stateListeners, listener);
  }

  listen(listener: (advertisement: Advertisement) => void): () => void {
    const forget = addTo(this.listeners, listener);
    this.changed();
    return () => {
      forget();
      this.changed();
    };
  }

  heard(address: Address): Advertisement | undefined {
    return this.advertised.get(address);
  }

  connect(address: Address, _profile: unknown, signal?: AbortSignal): TaskEither<BleError, Link> {
    return () => {
      const die = this.dice.get(address);
      return die === undefined || !this.advertised.has(address)
        ? Promise.resolve(E.left({ _tag: 'NotHeard', address }))
        : die.connect(signal);
    };
  }

  readonly close = (): Promise<void> => Promise.resolve();
}
