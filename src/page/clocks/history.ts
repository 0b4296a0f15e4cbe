/** The readings that the server keeps, as points of curves of a day, a week and a year. */
import { useSignal } from '@preact/signals';
import * as E from 'fp-ts/lib/Either.js';
import { useEffect } from 'preact/hooks';
import { detached } from '../../async/defects.js';
import { endpoints, type HistoryPoint } from '../../clock/contract.js';
import { call, type Failure } from '../common/api.js';
import { connection } from '../common/server.js';
import { records } from './state.js';

export const DAY_SECS = 86_400;

/** The spans of curves and the steps of their points, seconds. */
export const SPANS = {
  day: { span: DAY_SECS, step: 300 },
  week: { span: 7 * DAY_SECS, step: 1_800 },
  year: { span: 365 * DAY_SECS, step: DAY_SECS },
} as const;
export type Span = keyof typeof SPANS;

/** How often the readings are read again at least, ms. */
const REFRESH_MS = 3_600_000;

/** The start of the first step: a local midnight for steps of a day. */
const beginOf = ({ span, step }: (typeof SPANS)[Span], now: number): Date => {
  const from = now - span * 1_000;
  return new Date(step === DAY_SECS ? new Date(from).setHours(0, 0, 0, 0) : from - (from % (step * 1_000)));
};

/** The readings of a clock within a span, null until they are read; and why they cannot be read, if so. */
export const useHistory = (address: string, name: Span) => {
  const history = useSignal<readonly HistoryPoint[] | null>(null);
  const failure = useSignal<Failure | null>(null);
  const isOpen = connection.value === 'open';
  // A forgotten clock gets another record, without earlier readings.
  const since = records.value.get(address)?.first_seen;
  useEffect(() => {
    if (!isOpen) return undefined;
    let isCurrent = true;
    const { [name]: shape } = SPANS;
    const load = async (): Promise<void> => {
      const query = { from: beginOf(shape, Date.now()), step: shape.step };
      const read = await call(endpoints.history, { params: { address }, query });
      if (!isCurrent) return;
      failure.value = E.isLeft(read) ? read.left : null;
      history.value = E.isLeft(read) ? [] : read.right;
    };
    detached(load());
    const timer = setInterval(() => detached(load()), Math.min(shape.step * 1_000, REFRESH_MS));
    return () => {
      isCurrent = false;
      clearInterval(timer);
      history.value = null;
    };
  }, [address, name, isOpen, since]);
  return { history: history.value, failure: failure.value };
};
