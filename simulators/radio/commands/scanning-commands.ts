import { hexNumber } from '../../../src/bytes/index.js';
import { extendedScanPhy } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import { check, refuse, type Handlers, type Refusal, type Rule } from '../host/command-handlers.js';
import { NO_RANDOM_ADDRESS, familyRule, ownAddressRules } from './command-rules.js';
import type { ControllerParts } from './controller-parts.js';
import { leEventOf } from '../host/event-packets.js';
import type { CommandSet } from '../host/host-settings.js';
import { PhyBit } from '../medium/pdu.js';

/** Scan intervals and windows, in units of 0.625 ms (Core 5.4 Vol 4 Part E 7.8.10 and 7.8.64). */
const Interval = { min: 0x0004, legacyMax: 0x4000, extendedMax: 0xffff } as const;

/** Units of the extended enable command, milliseconds (Core 5.4 Vol 4 Part E 7.8.65). */
const DURATION_MS = 10;
const PERIOD_MS = 1280;

/** Filter_Duplicates: reset in each period. */
const RESET_EACH_PERIOD = 2;

/** PHYs on which a scanner can listen. */
const PHYS = PhyBit.le1M | PhyBit.coded;

const timingRules = (type: number, interval: number, window: number, max: number): readonly Rule[] => [
  [type <= 1, Status.invalidParameters, () => `the scan type must be 0x00 or 0x01, got ${hexNumber(type)}`],
  [
    interval >= Interval.min && interval <= max,
    Status.invalidParameters,
    () => `the scan interval must be 0x0004 to ${hexNumber(max, 4)}, got ${hexNumber(interval, 4)}`,
  ],
  [
    window >= Interval.min && window <= interval,
    Status.invalidParameters,
    () =>
      `the scan window must be 0x0004 to the interval's ${hexNumber(interval, 4)}, got ${hexNumber(window, 4)}`,
  ],
];

/** Policies 2 and 3 are the extended ones, which the features do not offer. */
const policyRules = (policy: number): readonly Rule[] => [
  [
    policy <= 3,
    Status.invalidParameters,
    () => `Scanning_Filter_Policy must be 0x00 to 0x03, got ${hexNumber(policy)}`,
  ],
  [
    policy <= 1,
    Status.unsupportedFeature,
    () =>
      `Scanning_Filter_Policy ${hexNumber(policy)} needs the extended filter policies, which the features do not offer`,
  ],
];

const enableRule = (on: number): Rule => [
  on <= 1,
  Status.invalidParameters,
  () => `Enable must be 0x00 or 0x01, got ${hexNumber(on)}`,
];

/** Scanning, by the legacy commands and by the extended ones. */
export const scanningCommands = ({
  scanner,
  channels,
  settings,
  ownAddress,
  host,
  medium,
}: Pick<ControllerParts, 'scanner' | 'channels' | 'settings' | 'ownAddress' | 'host' | 'medium'>) => {
  const { time } = medium;
  const idle = (): Rule => [
    !scanner.enabled,
    Status.commandDisallowed,
    () => 'the scan parameters must not change while scanning',
  ];

  const stop = (): number => {
    scanner.stop();
    channels.listeningChanged();
    return Status.success;
  };

  const start = (commandSet: CommandSet, filterDuplicates: boolean): Refusal | undefined => {
    const own = ownAddress(scanner.parameters.ownAddressType);
    if (own === undefined) return refuse(Status.invalidParameters, NO_RANDOM_ADDRESS);
    scanner.start(commandSet, filterDuplicates, own);
    channels.listeningChanged();
    return undefined;
  };

  /** Limits the scan to `duration`, or repeats it in each `period` unless that is 0; milliseconds. */
  const limit = (duration: number, period: number, renewed: boolean): void => {
    scanner.deadline = time.after(duration, () => {
      if (period === 0) {
        stop();
        host.send(leEventOf('scanTimeout', {}));
        return;
      }
      scanner.pause(true);
      channels.listeningChanged();
      scanner.deadline = time.after(period - duration, () => {
        if (renewed) scanner.forgetDuplicates();
        scanner.pause(false);
        channels.listeningChanged();
        limit(duration, period, renewed);
      });
    });
  };

  return {
    leSetScanParameters: ({ type, interval, window, ownAddressType, filterPolicy }) => {
      const refusal = check(
        familyRule(settings, 'legacy'),
        idle(),
        ...timingRules(type, interval, window, Interval.legacyMax),
        ...ownAddressRules(ownAddressType),
        ...policyRules(filterPolicy),
      );
      if (refusal !== undefined) return refusal;
      scanner.parameters = {
        active: type === 1,
        ownAddressType,
        filtered: filterPolicy === 1,
        phys: PhyBit.le1M,
      };
      return Status.success;
    },
    leSetScanEnable: ({ enable: on, filterDuplicates }) => {
      const refusal = check(familyRule(settings, 'legacy'), enableRule(on), [
        on === 0 || filterDuplicates <= 1,
        Status.invalidParameters,
        () => `Filter_Duplicates must be 0x00 or 0x01, got ${hexNumber(filterDuplicates)}`,
      ]);
      if (refusal !== undefined) return refusal;
      return on === 0 ? stop() : (start('legacy', filterDuplicates === 1) ?? Status.success);
    },
    leSetExtendedScanParameters: ({ ownAddressType, filterPolicy, scanningPhys, tail }) => {
      const phys = [PhyBit.le1M, PhyBit.coded].filter((phy) => (scanningPhys & phy) !== 0);
      const shape = check(
        familyRule(settings, 'extended'),
        idle(),
        [
          phys.length > 0 && tail.length === phys.length * extendedScanPhy.size,
          Status.invalidParameters,
          () =>
            `Scanning_PHYs ${hexNumber(scanningPhys)} must name 1M (0x01) or Coded (0x04), with five bytes for each`,
        ],
        [
          (scanningPhys & ~PHYS) === 0,
          Status.unsupportedFeature,
          () => `there is no scanning on the PHYs ${hexNumber(scanningPhys)} beside 1M and Coded`,
        ],
      );
      if (shape !== undefined) return shape;
      const wanted = phys.map((_, at) => extendedScanPhy.read(tail.subarray(at * extendedScanPhy.size)));
      const refusal = check(
        ...wanted.flatMap(({ type, interval, window }) =>
          timingRules(type, interval, window, Interval.extendedMax),
        ),
        ...ownAddressRules(ownAddressType),
        ...policyRules(filterPolicy),
      );
      if (refusal !== undefined) return refusal;
      scanner.parameters = {
        active: wanted.some(({ type }) => type === 1),
        ownAddressType,
        filtered: filterPolicy === 1,
        phys: scanningPhys,
      };
      return Status.success;
    },
    leSetExtendedScanEnable: ({ enable: on, filterDuplicates, duration, period }) => {
      const [lasts, returns] = [duration * DURATION_MS, period * PERIOD_MS];
      const refusal = check(
        familyRule(settings, 'extended'),
        enableRule(on),
        [
          on === 0 || filterDuplicates <= 2,
          Status.invalidParameters,
          () => `Filter_Duplicates must be 0x00 to 0x02, got ${hexNumber(filterDuplicates)}`,
        ],
        [
          on === 0 || filterDuplicates !== RESET_EACH_PERIOD || (duration > 0 && period > 0),
          Status.invalidParameters,
          () => 'duplicates are filtered by period (0x02) only with Duration and Period',
        ],
        [
          on === 0 || period === 0 || duration === 0 || lasts < returns,
          Status.invalidParameters,
          () => `Duration (${lasts} ms) must be shorter than Period (${returns} ms)`,
        ],
      );
      if (refusal !== undefined) return refusal;
      if (on === 0) return stop();
      const failed = start('extended', filterDuplicates !== 0);
      if (failed !== undefined) return failed;
      if (duration > 0) limit(lasts, returns, filterDuplicates === RESET_EACH_PERIOD);
      return Status.success;
    },
  } satisfies Partial<Handlers>;
};
