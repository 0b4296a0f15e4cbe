import { hexNumber } from '../../../src/bytes/index.js';
import { enabledSet } from '../../../src/ble/hci/extended-commands.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { ADVERTISING_SETS } from '../advertising/advertising-sets.js';
import { allowed, done, isRefusal, valid, type Handlers, type Refusal } from '../host/command-handlers.js';
import { familyRule, knownAddressRule, onSet, rangeRule, roomRule, setRule } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { Property } from '../medium/pdu.js';

/** High duty cycle directed advertising lasts at most 1.28 s, in units of 10 ms. */
const MAX_HIGH_DUTY_DURATION = 128;

/** Enabling and removing sets (Core 5.4 Vol 4 Part E 7.8.56 and 7.8.58 to 7.8.60). */
export const extendedAdvertisingCommands = (parts: ControllerParts) => {
  const { advertising, channels, settings, privacy, links } = parts;
  const family = (): Refusal | undefined => familyRule(settings, 'extended');

  const enableRules = (set: AdvertisingSet, duration: number): Refusal | undefined =>
    knownAddressRule(privacy.addressesOf(set)) ??
    valid(
      !set.is(Property.highDuty) || (duration > 0 && duration <= MAX_HIGH_DUTY_DURATION),
      `high duty cycle directed advertising needs a Duration of 0x0001 to 0x0080, got ${hexNumber(duration, 4)}`,
    ) ??
    allowed(
      set.parts.data === undefined && set.parts.scanResponse === undefined,
      'the last part of the data (Operation 0x02) is missing',
    ) ??
    allowed(
      !set.is(Property.scannable) || set.is(Property.legacy) || set.scanResponse.length > 0,
      'scannable extended advertising needs a scan response',
    ) ??
    (set.is(Property.connectable) ? roomRule(links) : undefined);

  const enable = (set: AdvertisingSet, duration: number, maxEvents: number): void => {
    set.stop();
    set.addresses = privacy.addressesOf(set);
    set.maxEvents = maxEvents;
    set.events = 0;
    channels.advertise(set, duration * 10);
  };

  return {
    leSetExtendedAdvertisingEnable: ({ enable: on, sets, tail }) => {
      const refusal =
        family() ??
        rangeRule('Enable', on, [0, 1]) ??
        valid(
          tail.length === sets * enabledSet.size,
          `Num_Sets is ${sets}, and ${tail.length} bytes follow`,
        ) ??
        valid(on === 0 || sets > 0, 'Num_Sets must not be 0 when advertising is enabled');
      if (refusal !== undefined) return refusal;
      const entries = Array.from({ length: sets }, (_, at) =>
        enabledSet.read(tail.subarray(at * enabledSet.size)),
      );
      return (
        valid(new Set(entries.map(({ set }) => set)).size === sets, 'a set is named twice') ??
        entries.map(({ set }) => setRule(set)).find(isRefusal) ??
        entries
          .map(({ set, duration }) =>
            onSet(advertising, set, (existing) => (on === 0 ? undefined : enableRules(existing, duration))),
          )
          .find(isRefusal) ??
        done(() => {
          if (sets === 0) for (const set of advertising.all) set.stop();
          for (const { set: number, duration, maxEvents } of entries) {
            const set = advertising.get(number);
            if (on === 0) set?.stop();
            else if (set !== undefined) enable(set, duration, maxEvents);
          }
        })
      );
    },
    leReadNumberOfAdvertisingSets: () => family() ?? { sets: ADVERTISING_SETS },
    leRemoveAdvertisingSet: ({ set: number }) =>
      family() ??
      onSet(
        advertising,
        number,
        (set) =>
          allowed(!set.enabled, 'a set that advertises cannot be removed') ??
          done(() => advertising.remove(number)),
      ),
    leClearAdvertisingSets: () =>
      family() ??
      allowed(advertising.enabled().length === 0, 'sets that advertise cannot be removed') ??
      done(() => advertising.clear()),
  } satisfies Partial<Handlers>;
};
