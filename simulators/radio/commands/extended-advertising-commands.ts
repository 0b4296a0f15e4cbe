import { hexNumber } from '../../../src/bytes/index.js';
import { enabledSet } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import type { AdvertisingSet } from '../advertising/advertising-set.js';
import { ADVERTISING_SETS } from '../advertising/advertising-sets.js';
import { check, type Handlers, type Refusal, type Rule } from '../host/command-handlers.js';
import { NO_RANDOM_ADDRESS, familyRule, roomRule, setRule, unknownSet } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { Property } from '../medium/pdu.js';

/** High duty cycle directed advertising lasts at most 1.28 s, in units of 10 ms. */
const MAX_HIGH_DUTY_DURATION = 128;

/** Enabling and removing sets (Core 5.4 Vol 4 Part E 7.8.56 and 7.8.58 to 7.8.60). */
export const extendedAdvertisingCommands = (
  parts: Pick<ControllerParts, 'advertising' | 'channels' | 'settings' | 'ownAddress' | 'links'>,
) => {
  const { advertising, channels, settings, ownAddress, links } = parts;
  const family = (): Rule => familyRule(settings, 'extended');

  const enableRules = (set: AdvertisingSet, duration: number): readonly Rule[] => [
    [
      ownAddress(set.parameters.ownAddressType, set) !== undefined,
      Status.invalidParameters,
      () => NO_RANDOM_ADDRESS,
    ],
    [
      !set.is(Property.highDuty) || (duration > 0 && duration <= MAX_HIGH_DUTY_DURATION),
      Status.invalidParameters,
      () =>
        `high duty cycle directed advertising needs a Duration of 0x0001 to 0x0080, got ${hexNumber(duration, 4)}`,
    ],
    [
      set.parts.data === undefined && set.parts.scanResponse === undefined,
      Status.commandDisallowed,
      () => 'the last part of the data (Operation 0x02) is missing',
    ],
    [
      !set.is(Property.scannable) || set.is(Property.legacy) || set.scanResponse.length > 0,
      Status.commandDisallowed,
      () => 'scannable extended advertising needs a scan response',
    ],
    ...(set.is(Property.connectable) ? [roomRule(links)] : []),
  ];

  const enable = (
    wanted: readonly { set: number; duration: number; maxEvents: number }[],
  ): number | Refusal => {
    for (const { set: number, duration } of wanted) {
      const set = advertising.get(number);
      if (set === undefined) return unknownSet(number);
      const wrong = check(...enableRules(set, duration));
      if (wrong !== undefined) return wrong;
    }
    for (const { set: number, duration, maxEvents } of wanted) {
      const set = advertising.get(number);
      if (set === undefined) continue;
      set.stop();
      set.enabledAs = ownAddress(set.parameters.ownAddressType, set);
      set.maxEvents = maxEvents;
      set.events = 0;
      channels.advertise(set, duration * 10);
    }
    return Status.success;
  };

  return {
    leSetExtendedAdvertisingEnable: ({ enable: on, sets, tail }) => {
      const refusal = check(
        family(),
        [on <= 1, Status.invalidParameters, () => `Enable must be 0x00 or 0x01, got ${hexNumber(on)}`],
        [
          tail.length === sets * enabledSet.size,
          Status.invalidParameters,
          () => `Num_Sets is ${sets}, and ${tail.length} bytes follow`,
        ],
      );
      if (refusal !== undefined) return refusal;
      const wanted = Array.from({ length: sets }, (_, at) =>
        enabledSet.read(tail.subarray(at * enabledSet.size)),
      );
      const misnamed = check(
        [
          on === 0 || sets > 0,
          Status.invalidParameters,
          () => 'Num_Sets must not be 0 when advertising is enabled',
        ],
        [
          new Set(wanted.map(({ set }) => set)).size === sets,
          Status.invalidParameters,
          () => 'a set is named twice',
        ],
        ...wanted.map(({ set }) => setRule(set)),
      );
      if (misnamed !== undefined) return misnamed;
      if (on === 1) return enable(wanted);
      const unknown = wanted.find(({ set }) => advertising.get(set) === undefined);
      if (unknown !== undefined) return unknownSet(unknown.set);
      const stopped = sets === 0 ? advertising.all : wanted.map(({ set }) => advertising.get(set));
      stopped.forEach((set) => set?.stop());
      return Status.success;
    },
    leReadNumberOfAdvertisingSets: () => check(family()) ?? { sets: ADVERTISING_SETS },
    leRemoveAdvertisingSet: ({ set: number }) => {
      const set = advertising.get(number);
      if (set === undefined) return check(family(), setRule(number)) ?? unknownSet(number);
      const refusal = check(family(), [
        set.enabledAs === undefined,
        Status.commandDisallowed,
        () => 'a set that advertises cannot be removed',
      ]);
      if (refusal !== undefined) return refusal;
      advertising.remove(number);
      return Status.success;
    },
    leClearAdvertisingSets: () => {
      const refusal = check(family(), [
        advertising.enabled().length === 0,
        Status.commandDisallowed,
        () => 'sets that advertise cannot be removed',
      ]);
      if (refusal !== undefined) return refusal;
      advertising.clear();
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
