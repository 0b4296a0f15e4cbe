/** Requests to a device, answered by notifications. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import type { Cancel, TimeSource } from '../async/time.js';
import { settled } from '../async/wait.js';
import type { Address, BleError, Link } from '../ble/ports.js';
import type { ParseError } from '../codecs/parse-error.js';
import type { DeviceError } from './device-error.js';

export interface ExchangeOptions<A> {
  readonly link: Link;
  readonly time: TimeSource;
  /** The name of the request in errors. */
  readonly name: string;
  /** Sends the request. */
  readonly write: TE.TaskEither<BleError, void>;
  /** How long the response may take once the request is written, ms. */
  readonly responseMs: number;
  /** Listens for the response; the returned function ends that. */
  readonly listen: (respond: (response: A) => void) => Cancel;
  /** The name of the response in the error that ends the link without a response. Null keeps the link. */
  readonly endsLink: string | null;
}

/** Writes a request and waits for its response, a notification. Left: `NoAnswer`, or the error that ended the link. */
export const exchange = <A>({
  link,
  time,
  name,
  write,
  responseMs,
  listen,
  endsLink,
}: ExchangeOptions<A>): TE.TaskEither<DeviceError, A> =>
  settled((settle) => {
    const { address } = link;
    let over = false;
    let cancelLimit = (): void => undefined;
    const unlisten = listen((response) => settle(E.right(response)));
    const unwatch = link.onEnd((reason) => settle(E.left(reason)));
    const start = async (): Promise<void> => {
      const written = await write();
      if (E.isLeft(written)) {
        settle(written);
      } else if (!over) {
        cancelLimit = time.after(responseMs, () => {
          settle(E.left({ _tag: 'NoAnswer', address, request: name, ms: responseMs }));
          if (endsLink !== null) link.fail({ _tag: 'Timeout', address, operation: endsLink, ms: responseMs });
        });
      }
    };
    // A rejected write is a defect, and so is the request.
    start().catch((defect: unknown) => settle(Promise.reject(E.toError(defect))));
    return () => {
      over = true;
      unlisten();
      unwatch();
      cancelLimit();
    };
  });

/** Hands the values of notifications to `take`; logs and ignores notifications that cannot be decoded. */
export const decodedBy =
  <A>(
    decode: (bytes: Buffer) => E.Either<ParseError, A>,
    { log, address }: { readonly log: Logger; readonly address: Address },
    take: (value: A) => void,
  ) =>
  (bytes: Buffer): void =>
    pipe(
      decode(bytes),
      E.match(({ message }) => log.debug({ address, bytes: bytes.toString('hex') }, message), take),
    );
