/**
 * The system bus of D-Bus, for calls of one service. Every call has a limit: calls of the library stay pending for ever when the bus
 * ends, which it reports by no public event.
 */
import type { EventEmitter } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import type * as Library from '@jellybrick/dbus-next';
import { isolated, Listeners } from '../async/defects.js';
import type { Cancel, TimeSource } from '../async/time.js';
import { wait } from '../async/wait.js';
import { missingPackage } from './packages.js';
import { messageOf } from './system-error.js';

/** The limit of a call, ms. */
export const CALL_MS = 5_000;

const LIBRARY = '@jellybrick/dbus-next';
const DBUS = 'org.freedesktop.DBus';

const failure = (name: string, text: string): CallFailure => ({ name: `${DBUS}.Error.${name}`, text });

/** There is no connection. */
export const DISCONNECTED = failure('Disconnected', 'there is no connection');

/** A failed call: the name of a D-Bus error, and its text. */
export interface CallFailure {
  readonly name: string;
  readonly text: string;
}

export type Outcome = E.Either<CallFailure, readonly unknown[]>;

/** A method call; `signature` describes `body`, and `options` is a last argument of the type `a{sv}`. */
export interface Call {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly signature?: string;
  readonly body?: readonly unknown[];
  /** Values with their signatures. */
  readonly options?: Readonly<Record<string, readonly [signature: string, value: unknown]>>;
  /** Milliseconds; `CALL_MS` if left out, null: no limit. */
  readonly ms?: number | null;
  /** Whether the bus starts a service that does not run; false if left out. */
  readonly startsService?: boolean;
}

/** `body` has values without variants: a byte array is a Buffer, a dictionary an object. */
export interface Signal {
  readonly path: string;
  readonly interface: string;
  readonly member: string;
  readonly body: readonly unknown[];
  /** The number of the message among all that its sender has sent. */
  readonly serial: number;
}

export interface Bus {
  readonly call: (call: Call) => Promise<Outcome>;
  readonly onSignal: (listener: (signal: Signal) => void) => Cancel;
  /** Calls back once, when the bus or `close` has ended the connection. */
  readonly onEnd: (listener: (reason: CallFailure) => void) => Cancel;
  /** Ends the connection after all calls that were sent. */
  readonly close: () => void;
}

/** Connects to the bus, to receive the signals that match one of the rules. */
export type OpenBus = (rules: readonly string[]) => Promise<E.Either<CallFailure, Bus>>;

/** The parts of a `MessageBus` that its types omit. */
interface Internals extends EventEmitter {
  readonly _connection: EventEmitter;
}

class SystemBus implements Bus {
  private readonly signals = new Listeners<Signal>();
  private readonly ends = new Listeners<CallFailure>();
  private ended: CallFailure | undefined;

  constructor(
    private readonly library: typeof Library,
    private readonly bus: Library.MessageBus,
    private readonly service: string,
    private readonly time: TimeSource,
  ) {
    const internals = bus as unknown as Internals;
    internals.on('error', (error) => this.end(messageOf(error)));
    internals._connection.on('end', () => this.end('the bus has ended'));
    bus.on(
      'message',
      isolated(({ type, path, interface: name, member, body, serial }: Library.Message) => {
        if (type === library.MessageType.SIGNAL)
          this.signals.call({
            ...{ path, interface: name, member, serial: serial ?? 0 },
            body: body.map((value) => this.plain(value)),
          });
      }),
    );
  }

  onSignal(listener: (signal: Signal) => void): Cancel {
    return this.signals.add(listener);
  }

  onEnd(listener: (reason: CallFailure) => void): Cancel {
    return this.ends.add(listener);
  }

  close(): void {
    this.end('the connection is closed');
    this.bus.disconnect();
  }

  call(call: Call): Promise<Outcome> {
    return this.send(this.service, call);
  }

  async match(rule: string): Promise<Outcome> {
    const call = { path: '/org/freedesktop/DBus', interface: DBUS, member: 'AddMatch' };
    return this.send(DBUS, { ...call, signature: 's', body: [rule] });
  }

  private async send(
    destination: string,
    { signature = '', body = [], options, ms = CALL_MS, startsService = false, ...to }: Call,
  ): Promise<Outcome> {
    const { Message, MessageFlag, Variant } = this.library;
    const variants = Object.entries(options ?? {}).map(
      ([key, value]) => [key, new Variant(...value)] as const,
    );
    const message = new Message({
      ...{ destination, ...to },
      ...(!startsService && { flags: MessageFlag.NO_AUTO_START }),
      signature: options === undefined ? signature : `${signature}a{sv}`,
      body: options === undefined ? [...body] : [...body, Object.fromEntries(variants)],
    });
    const outcome = await wait<Outcome>({ time: this.time, ms }, (settle) => {
      if (this.ended !== undefined) settle(E.left(this.ended));
      else
        this.bus.call(message).then(
          (reply) => settle(E.right((reply?.body ?? []).map((value) => this.plain(value)))),
          (error: unknown) => settle(E.left(this.failureOf(error))),
        );
      return this.onEnd((reason) => settle(E.left(reason)));
    })();
    return E.isRight(outcome) ? outcome.right : E.left(failure('Timeout', `no reply within ${ms} ms`));
  }

  private failureOf(error: unknown): CallFailure {
    return error instanceof this.library.DBusError
      ? { name: error.type, text: error.text }
      : failure('Disconnected', messageOf(error));
  }

  private end(text: string): void {
    if (this.ended !== undefined) return;
    this.ended = failure('Disconnected', text);
    this.ends.call(this.ended);
  }

  /** A value without variants. */
  private plain(value: unknown): unknown {
    if (value instanceof this.library.Variant) return this.plain(value.value);
    if (Buffer.isBuffer(value)) return value;
    if (Array.isArray(value)) return value.map((item) => this.plain(item));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, this.plain(item)]));
  }
}

/** Opens the system bus, at `DBUS_SYSTEM_BUS_ADDRESS` if the environment has it, for calls of `service`, such as `org.bluez`. */
export const systemBusOf =
  (service: string, time: TimeSource): OpenBus =>
  async (rules) => {
    if (process.platform !== 'linux') return E.left(failure('NotSupported', 'only Linux has it'));
    if (missingPackage(LIBRARY) !== undefined) return E.left(failure('FileNotFound', LIBRARY));
    const library = await import('@jellybrick/dbus-next');
    const connection = library.systemBus({ authMethods: ['EXTERNAL'] });
    const bus = new SystemBus(library, connection, service, time);
    const connected = await wait<Outcome>({ time, ms: CALL_MS }, (settle) => {
      connection.once('connect', () => settle(E.right([])));
      return bus.onEnd(({ text }) => settle(E.left(failure('NoServer', text))));
    })();
    const outcomes = E.isLeft(connected)
      ? [E.left(failure('NoServer', 'it does not answer'))]
      : [connected.right, ...(await Promise.all(rules.map((rule) => bus.match(rule))))];
    const refused = outcomes.find(E.isLeft);
    if (refused === undefined) return E.right(bus);
    bus.close();
    return refused;
  };
