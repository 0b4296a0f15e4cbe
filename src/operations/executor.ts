/** Executes every operation in the same way, whether it came over REST, a WebSocket or MQTT. */
import { setMaxListeners } from 'node:events';
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import type { Task } from 'fp-ts/lib/Task.js';
import type { Logger } from 'pino';
import type { TimeSource } from '../async/time.js';
import { NO_COMMAND, type Metrics } from '../metrics/index.js';
import { authorize, type Client } from './client.js';
import { errorBody, internalError, shuttingDown, type ServerError } from './errors.js';
import type { BoundOperation, Encoded, RequestContext } from './operation.js';
import { rateLimit } from './rate-limit.js';

export type Outcome = E.Either<ServerError, Encoded>;

export interface Call<Raw, Context extends RequestContext> {
  readonly operation: BoundOperation<Raw, Context>;
  /** Its input before decoding. Left: it cannot be read. */
  readonly raw: E.Either<ServerError, Raw>;
  readonly context: Context;
  /** Takes its slot among those that are under way; it needs none if left out. */
  readonly takeSlot?: () => E.Either<ServerError, () => void>;
  /** Its fields in the log, should the server fail on it. */
  readonly logged?: Readonly<Record<string, unknown>>;
}

type Respond = (outcome: Outcome) => void;

export interface ExecutorOptions {
  readonly time: TimeSource;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Of one client; 0 does not limit them. */
  readonly requestsPerMinute: number;
}

const nothing = (): void => undefined;
const resultOf = (outcome: Outcome): string => (E.isLeft(outcome) ? errorBody(outcome.left).code : 'ok');
const noSlot = (): E.Either<ServerError, () => void> => E.right(nothing);

export const openExecutor = ({ time, log, metrics, requestsPerMinute }: ExecutorOptions) => {
  const limit = rateLimit(requestsPerMinute, time);
  const clients = new Set<AbortController>();
  const running = new Set<Promise<unknown>>();
  let closing = false;

  const count = ({ countedAs }: Client): E.Either<ServerError, void> => limit(countedAs);

  const counted = (command: string, outcome: Outcome): Outcome => {
    metrics.commands.inc({ command, result: resultOf(outcome) });
    return outcome;
  };

  const measured = async (command: string, work: Task<Outcome>): Promise<Outcome> => {
    const began = time.now();
    metrics.commandsPending.inc();
    try {
      return await work();
    } finally {
      metrics.commandsPending.dec();
      metrics.commandSeconds.observe({ command }, (time.now() - began) / 1000);
    }
  };

  const perform = async <Raw, Context extends RequestContext>(
    client: Client,
    { operation: { name, access, isMeasured, prepare }, raw, context, takeSlot = noSlot }: Call<Raw, Context>,
  ): Promise<Outcome> => {
    const prepared = pipe(
      authorize(client, access),
      E.chain(() => raw),
      E.chainW(prepare),
      E.filterOrElseW(
        () => !closing,
        () => shuttingDown,
      ),
      E.bindTo('work'),
      E.bindW('release', takeSlot),
    );
    if (E.isLeft(prepared)) return prepared;
    const { work, release } = prepared.right;
    try {
      return await (isMeasured ? measured(name, work(context)) : work(context)());
    } finally {
      release();
    }
  };

  const run = <Raw, Context extends RequestContext>(
    client: Client,
    call: Call<Raw, Context>,
    answer: Respond,
  ): Promise<void> => {
    const { name, isMeasured } = call.operation;
    const began = time.now();
    const work = perform(client, call)
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
        answer(isMeasured ? counted(name, outcome) : outcome);
      });
    running.add(work);
    return work.finally(() => running.delete(work));
  };

  return {
    /** Whether it refuses what comes. */
    get closing(): boolean {
      return closing;
    },
    /** Counts a request of `client`; Left: it sends too many. */
    count,
    /**
     * Authorises, decodes, runs, measures, encodes, and calls `answer`. The work begins at once, so that operations keep the order
     * in which they came.
     */
    run,
    /** Counts a message of `client`, then runs the call that it is. Left: it is none. Never rejects. */
    execute: async <Raw, Context extends RequestContext>(
      client: Client,
      call: E.Either<ServerError, Call<Raw, Context>>,
      answer: Respond,
    ): Promise<void> => {
      const allowed = pipe(
        count(client),
        E.chain(() => call),
      );
      try {
        if (E.isLeft(allowed)) answer(counted(NO_COMMAND, allowed));
        else await run(client, allowed.right, answer);
      } catch (defect) {
        log.error({ err: defect }, 'an answer could not be sent');
      }
    },
    /** A signal for the requests of one client, which is aborted when it leaves or the server shuts down. */
    join: (): { readonly signal: AbortSignal; readonly leave: () => void } => {
      const controller = new AbortController();
      // One listener for each wait under way: it is no leak, and Node would warn of one.
      setMaxListeners(0, controller.signal);
      if (closing) controller.abort();
      clients.add(controller);
      return {
        signal: controller.signal,
        leave: () => {
          clients.delete(controller);
          controller.abort();
        },
      };
    },
    /** Refuses what comes, gives up what waits, and resolves when all is answered. */
    drain: async () => {
      closing = true;
      for (const client of clients) client.abort();
      await Promise.allSettled(running);
    },
  };
};

export type Executor = ReturnType<typeof openExecutor>;
