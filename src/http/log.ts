import { identity } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { logEndpoints, type TypesOf } from '../contract/index.js';
import { setVerbosity, verbosityOf } from '../system/verbosity.js';
import type { ServerError } from '../operations/index.js';
import { routesOf, type Route } from './route.js';

/** The routes of `logEndpoints`. */
export const logRoutes = (log: Logger): readonly Route[] =>
  routesOf<TypesOf<typeof logEndpoints>, ServerError>(
    logEndpoints,
    {
      log: () => TE.right({ verbose: verbosityOf(log) }),
      setLog: ({ body: { verbose } }) => {
        setVerbosity(log, verbose);
        return TE.right({ verbose });
      },
    },
    identity,
  );
