import * as E from 'fp-ts/lib/Either.js';
import type { Trace } from '../../../simulators/radio/index.js';
import { systemReason } from '../../system/system-error.js';

/** The capture of a radio, in `file` too if there is one; loaded only by those who want it. Left is a message. */
export const openTrace = async (file: string | undefined): Promise<E.Either<string, Trace>> => {
  const { Trace } = await import('../../../simulators/radio/index.js');
  return E.tryCatch(
    () => new Trace(file === undefined ? {} : { file }),
    (thrown) => `the trace ${file ?? ''} cannot be written: ${systemReason(thrown)}`,
  );
};
