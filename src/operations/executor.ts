/** Executes every operation in the same way, whether it came over REST, a WebSocket or MQTT. */
import { setMaxListeners } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import type { Answer } from '../contract/index.js';
import { NO_COMMAND, type Metrics } from '../metrics/metrics.js';
import { errorBody, internalError, shuttingDown, type ServerError } from './errors.js';
import { rateLimit } from './limits.js';
import { authorize, type BoundOperation, type Client, type RequestContext } from './operation.js';

export type Outcome = E.Either<ServerError, Answer>;

export interface Call<Raw, Context extends RequestContext> {
  readonly operation: BoundOperation<Raw, Context>;
  /** The input before decoding. Left: it cannot be read. */
  readonly raw: E.Either<ServerError, Raw>;
  readonly context: Context;
  /** Takes a slot among the calls under way; undefined: the call needs no slot. */
  readonly takeSlot?: () => E.Either<ServerError, () => void>;
  /** Fields for the log lines about the call. */
  readonly logged?: Readonly<Record<string, unknown>>;
}

type Respond = (outcome: Outcome) => void;

export interface ExecutorOptions {
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** The limit of each client; 0: no limit. */
  readonly requestsPerMinute: number;
}

const nothing = (): void => undefined;
const resultOf = (outcome: Outcome): string => (E.isLeft(outcome) ? errorBody(outcome.left).code : 'ok');
const noSlot = (): E.Either<ServerError, () => void> => E.right(nothing);

export class Executor {
  private readonly limit;
  private readonly clients = new Set<AbortController>();
  private readonly running = new Set<Promise<unknown>>();
  private isClosing = false;

  constructor(private readonly options: ExecutorOptions) {
    this.limit = rateLimit(options.requestsPerMinute, options.time);
  }

  /** Whether the executor refuses new requests. */
  get closing(): boolean {
    return this.isClosing;
  }

  /** Counts a request of a client; Left: the client sends too many. */
  count({ countedAs }: Client): E.Either<ServerError, void> {
    return this.limit(countedAs);
  }

  private counted(command: string, outcome: Outcome): Outcome {
    this.options.metrics.commands.inc({ command, result: resultOf(outcome) });
    return outcome;
  }

  private async measured(command: string, work: Task<Outcome>): Promise<Outcome> {
    const { metrics, time } = this.options;
    const began = time.now();
    metrics.commandsPending.inc();
    try {
      return await work();
    } finally {
      metrics.commandsPending.dec();
      metrics.commandSeconds.observe({ command }, (time.now() - began) / 1000);
    }
  }

  private async perform<Raw, Context extends RequestContext>(
    client: Client,
    { operation: { name, access, isMeasured, prepare }, raw, context, takeSlot = noSlot }: Call<Raw, Context>,
  ): Promise<Outcome> {
    const prepared = pipe(
      authorize(client, access),
      E.chain(() => raw),
      E.chainW(prepare),
      E.filterOrElseW(
        () => !this.isClosing,
        () => shuttingDown,
      ),
      E.bindTo('work'),
      E.bindW('release', takeSlot),
    );
    if (E.isLeft(prepared)) return prepared;
    const { work, release } = prepared.right;
    try {
      return await (isMeasured ? this.measured(name, work(context)) : work(context)());
    } finally {
      release();
    }
  }

  /**
   * Authorises, decodes, runs, measures and encodes a call, and answers it. The work begins at once, so that operations keep the order
   * in which they came.
   */
  run<Raw, Context extends RequestContext>(
    client: Client,
    call: Call<Raw, Context>,
    answer: Respond,
  ): Promise<void> {
    const { log, time } = this.options;
    const { name, isMeasured } = call.operation;
    const began = time.now();
    const work = this.perform(client, call)
      .catch((defect: unknown): Outcome => {
        log.error({ ...call.logged, err: defect, operation: name }, 'an operation failed');
        return E.left(internalError);
      })
      .then((outcome) => {
        if (log.isLevelEnabled('trace'))
          log.trace(
            { ...call.logged, operation: name, result: resultOf(outcome), ms: time.now() - began },
            'operation',
          );
        answer(isMeasured ? this.counted(name, outcome) : outcome);
      });
    this.running.add(work);
    return work.finally(() => this.running.delete(work));
  }

  /** Counts a message of a client, then runs its call. Left: the message requests no operation. Never rejects. */
  async execute<Raw, Context extends RequestContext>(
    client: Client,
    call: E.Either<ServerError, Call<Raw, Context>>,
    answer: Respond,
  ): Promise<void> {
    const allowed = pipe(
      this.count(client),
      E.chain(() => call),
    );
    try {
      if (E.isLeft(allowed)) answer(this.counted(NO_COMMAND, allowed));
      else await this.run(client, allowed.right, answer);
    } catch (defect) {
      this.options.log.error({ err: defect }, 'an answer could not be sent');
    }
  }

  /** A signal for the requests of one client, aborted when the client leaves or the server shuts down. */
  join(): { readonly signal: AbortSignal; readonly leave: () => void } {
    const controller = new AbortController();
    // Node would take the listeners, one for each wait under way, for a leak.
    setMaxListeners(0, controller.signal);
    if (this.isClosing) controller.abort();
    this.clients.add(controller);
    return {
      signal: controller.signal,
      leave: () => {
        this.clients.delete(controller);
        controller.abort();
      },
    };
  }

  /** Refuses new requests, ends waits, and resolves when all requests are answered. */
  async drain(): Promise<void> {
    this.isClosing = true;
    for (const client of this.clients) client.abort();
    await Promise.allSettled(this.running);
  }
}
