import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Logger } from 'pino';
import { logEndpoints, type TypesOf } from '../contract/index.js';
import { setVerbosity, verbosityOf } from '../system/verbosity.js';
import { serverRoutes, type Route } from './route.js';

/** The routes of `logEndpoints`. */
export const logRoutes = (log: Logger): readonly Route[] =>
  serverRoutes<TypesOf<typeof logEndpoints>>(logEndpoints, {
    log: () => TE.right({ verbose: verbosityOf(log) }),
    setLog: ({ body: { verbose } }) => {
      setVerbosity(log, verbose);
      return TE.right({ verbose });
    },
  });
