/** The operations of a link as requests to its proxy, each about a handle, and the answers. */
import * as E from 'fp-ts/lib/Either.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { TaskEither } from 'fp-ts/lib/TaskEither.js';
import type { Cancel, TimeSource } from '../../async/time.js';
import {
  addressNumber,
  type AnyMessage,
  type GattService,
  type MessageOf,
  type Name,
} from '../../protocols/esphome/index.js';
import { describeAttError } from '../hci/att.js';
import type { Address, BleError } from '../ports.js';
import { QueuedLink } from '../queued-link.js';
import { disproves, type KnownServices } from './services.js';

/** The way from a link to its proxy. */
export interface Proxied {
  readonly send: <N extends Name>(name: N, message: Partial<MessageOf<N>>) => void;
  /** Ends the connection to the proxy, which has sent more than a device can have. */
  readonly refuse: (reason: string) => void;
  /** Resolves when the proxy has ended the link. */
  readonly disconnect: Task<void>;
  readonly services: KnownServices;
  /** The services with which the link was made; undefined: they are to be discovered. */
  readonly known: readonly GattService[] | undefined;
}

/** A link that a proxy has made, one request at a time. */
export abstract class RequestingLink<C> extends QueuedLink<C> {
  /** Listeners by the handle of the value. */
  protected readonly subscribers = new Map<number, (value: Buffer) => void>();
  /** The address as a number, for messages. */
  protected readonly number: bigint;
  /** Writes without response that the proxy has not confirmed yet, by handle. */
  private readonly unconfirmed = new Map<number, number>();
  private listener: ((message: AnyMessage) => void) | undefined;

  constructor(
    address: Address,
    protected readonly proxied: Proxied,
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

  protected release(): void {
    this.subscribers.clear();
    this.unconfirmed.clear();
    this.listener = undefined;
  }

  /** Sends a write without response, for whose confirmation nothing waits. */
  protected command(handle: number, data: Buffer): void {
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
  protected written<N extends 'WriteRequest' | 'WriteDescriptorRequest'>(
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
  protected request<N extends Name, A>(
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
      : this.gattFailed(operation, `the proxy could not do it (${error})`);
  }
}
