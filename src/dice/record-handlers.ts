/** The handlers of the rows about dice and rolls that the server remembers. */
import * as E from 'fp-ts/lib/Either.js';
import { pipe } from 'fp-ts/lib/function.js';
import * as TE from 'fp-ts/lib/TaskEither.js';
import type { Address } from '../ble/ports.js';
import { parseError } from '../codecs/index.js';
import { seenOf } from '../contract/index.js';
import type { DeviceError } from '../devices/device-error.js';
import type { DeviceRecord } from '../devices/records.js';
import type { Handlers } from '../operations/index.js';
import type { DieRecord, RecordEndpoints } from './contract.js';
import type { DiceMemory, DieDetails } from './memory.js';
import { rollStream } from './roll-texts.js';
import type { Session } from './session.js';
import type { Sessions } from './sessions.js';

const DEFAULT_PAGE = 100;

const recordOf = (
  { address, label, name, keepConnected, details, ...times }: DeviceRecord<DieDetails>,
  session: Session | undefined,
  rolls: number | null,
): DieRecord => {
  const { maker, dice_type, color, battery_level } = details;
  const status = session?.status;
  return {
    ...{ address, label, name, maker, color, battery_level, rolls },
    dice_type: status?.dice_type ?? dice_type,
    keep_connected: keepConnected,
    ...seenOf(times),
    connected: status?.connected === true,
    session_id: status?.session_id ?? null,
  };
};

export const recordHandlers = (
  memory: DiceMemory,
  sessions: Sessions,
): Handlers<RecordEndpoints, DeviceError> => {
  const { records, rolls } = memory;
  const answerOf = (record: DeviceRecord<DieDetails>): DieRecord =>
    recordOf(record, sessions.of(record.address), rolls.of(record.address));

  const recordFor = (address: Address): TE.TaskEither<DeviceError, DeviceRecord<DieDetails>> =>
    pipe(
      TE.fromTask(() => records.loaded),
      TE.chainEitherK(() => E.fromNullable<DeviceError>({ _tag: 'Unheard', address })(records.of(address))),
    );

  return {
    dice: () =>
      pipe(
        TE.fromTask(() => Promise.all([records.loaded, rolls.counted])),
        TE.map(() => records.all.map(answerOf)),
      ),
    setDie: ({ params: { address }, body: { label, dice_type, keep_connected } }) =>
      pipe(
        recordFor(address),
        TE.chainFirstEitherK(() =>
          dice_type === undefined ? E.right(undefined) : sessions.setShell(address, dice_type),
        ),
        TE.map(() => {
          const record = records.change(address, {
            ...(label !== undefined && { label }),
            ...(keep_connected !== undefined && { keepConnected: keep_connected }),
            ...(dice_type !== undefined && { details: { dice_type, shell: dice_type } }),
          });
          if (keep_connected !== undefined) sessions.keepConnected({ address }, keep_connected);
          return answerOf(record);
        }),
      ),
    forgetDie: ({ params: { address } }) =>
      pipe(
        memory.isUsable,
        TE.chain(() => recordFor(address)),
        TE.chain(() => memory.forget(address)),
        TE.map(() => {
          sessions.keepConnected({ address }, false);
          return { address, forgotten: true as const };
        }),
      ),
    rolls: ({ query: { limit, ...filter } }, { accepted, signal }) =>
      accepted === undefined
        ? rolls.page({ ...filter, limit: limit ?? DEFAULT_PAGE }, signal)
        : pipe(
            rolls.all({ ...filter, ...(limit !== undefined && { limit }) }, signal),
            TE.map((pieces) => rollStream(accepted, pieces)),
          ),
    forgetRolls: ({ query }) =>
      Object.keys(query).length === 0
        ? TE.left(parseError('address, from and to are missing: at least one of them must be given'))
        : pipe(
            rolls.forget(query),
            TE.map((deleted) => ({ deleted })),
          ),
    statistics: ({ params: { address }, query }, { signal }) =>
      pipe(
        recordFor(address),
        TE.chain((record) => {
          const dice_type = query.dice_type ?? answerOf(record).dice_type ?? 'd6';
          return rolls.statistics({ ...query, address, dice_type }, signal);
        }),
      ),
  };
};
