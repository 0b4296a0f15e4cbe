/** The state of the system's clock as systemd reports it, whichever program sets the clock. */
import * as E from 'fp-ts/lib/Either.js';
import type { OpenBus } from './system-bus.js';

export const TIME_DATE = 'org.freedesktop.timedate1';

/** Whether the kernel's clock is synchronised; null: the system does not say. Never rejects. */
export const isSynchronised = (open: OpenBus) => async (): Promise<boolean | null> => {
  const bus = await open([]);
  if (E.isLeft(bus)) return null;
  const outcome = await bus.right.call({
    path: '/org/freedesktop/timedate1',
    interface: 'org.freedesktop.DBus.Properties',
    member: 'Get',
    signature: 'ss',
    body: [TIME_DATE, 'NTPSynchronized'],
    startsService: true,
  });
  bus.right.close();
  const [value] = E.isRight(outcome) ? outcome.right : [];
  return typeof value === 'boolean' ? value : null;
};
