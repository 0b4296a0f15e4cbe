import { hexNumber } from '../../../src/bytes/index.js';
import { extendedScanPhy } from '../../../src/ble/hci/extended-commands.js';
import { Status } from '../../../src/ble/hci/status.js';
import {
  allowed,
  done,
  isRefusal,
  supported,
  valid,
  type Handlers,
  type Refusal,
} from '../host/command-handlers.js';
import { familyRule, knownAddressRule, ownAddressRule, rangeRule } from './command-rules.js';
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

interface Timing {
  readonly type: number;
  readonly interval: number;
  readonly window: number;
}

const timingRules = ({ type, interval, window }: Timing, max: number): Refusal | undefined =>
  rangeRule('the scan type', type, [0, 1]) ??
  rangeRule('the scan interval', interval, [Interval.min, max], 4) ??
  valid(
    window >= Interval.min && window <= interval,
    `the scan window must be 0x0004 to the interval's ${hexNumber(interval, 4)}, got ${hexNumber(window, 4)}`,
  );

/** Bits of Scanning_Filter_Policy: only devices of the list; also directed advertising to unresolvable addresses. */
const FILTERED = 0b01;
const EXTENDED = 0b10;

/** Filter_Duplicates is ignored when a scan is disabled. */
const enableRules = (on: number, filterDuplicates: number, most: number): Refusal | undefined =>
  rangeRule('Enable', on, [0, 1]) ??
  (on === 0 ? undefined : rangeRule('Filter_Duplicates', filterDuplicates, [0, most]));

/** Setting, starting, stopping and limiting the scan of a controller. */
const scanControl = ({ scanner, channels, privacy, host, medium: { time } }: ControllerParts) => {
  const idle = (): Refusal | undefined =>
    allowed(!scanner.enabled, 'the scan parameters must not change while scanning');
  /** `timings`: of each of `phys`; no interval may be longer than `most`. */
  const setParameters = (
    { ownAddressType, filterPolicy }: { readonly ownAddressType: number; readonly filterPolicy: number },
    phys: number,
    timings: readonly Timing[],
    most: number,
  ): number | Refusal =>
    timings.map((timing) => timingRules(timing, most)).find(isRefusal) ??
    ownAddressRule(ownAddressType) ??
    rangeRule('Scanning_Filter_Policy', filterPolicy, [0, 3]) ??
    done(() => {
      scanner.parameters = {
        active: timings.some(({ type }) => type === 1),
        ownAddressType,
        filtered: (filterPolicy & FILTERED) !== 0,
        takesUnresolved: (filterPolicy & EXTENDED) !== 0,
        phys,
      };
    });

  const stop = (): void => {
    scanner.stop();
    channels.listeningChanged();
  };

  const start = (commandSet: CommandSet, filterDuplicates: boolean): Refusal | undefined => {
    const own = privacy.ownAddress(scanner.parameters.ownAddressType, undefined);
    if (own === undefined) return knownAddressRule(own);
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

  return { idle, setParameters, start, stop, limit };
};

/** Scanning, by the legacy commands and by the extended ones. */
export const scanningCommands = (parts: ControllerParts) => {
  const { settings } = parts;
  const { idle, setParameters, start, stop, limit } = scanControl(parts);
  return {
    leSetScanParameters: (parameters) =>
      familyRule(settings, 'legacy') ??
      idle() ??
      setParameters(parameters, PhyBit.le1M, [parameters], Interval.legacyMax),
    leSetScanEnable: ({ enable: on, filterDuplicates }) =>
      familyRule(settings, 'legacy') ??
      enableRules(on, filterDuplicates, 1) ??
      (on === 0 ? done(stop) : (start('legacy', filterDuplicates === 1) ?? Status.success)),
    leSetExtendedScanParameters: ({ scanningPhys, tail, ...parameters }) => {
      const phys = [PhyBit.le1M, PhyBit.coded].filter((phy) => (scanningPhys & phy) !== 0);
      const misshapen =
        familyRule(settings, 'extended') ??
        idle() ??
        valid(
          phys.length > 0 && tail.length === phys.length * extendedScanPhy.size,
          `Scanning_PHYs ${hexNumber(scanningPhys)} must name 1M (0x01) or Coded (0x04), with five bytes for each`,
        ) ??
        supported(
          (scanningPhys & ~PHYS) === 0,
          `a controller scans on 1M and Coded only, got Scanning_PHYs ${hexNumber(scanningPhys)}`,
        );
      if (misshapen !== undefined) return misshapen;
      const timings = phys.map((_, at) => extendedScanPhy.read(tail.subarray(at * extendedScanPhy.size)));
      return setParameters(parameters, scanningPhys, timings, Interval.extendedMax);
    },
    leSetExtendedScanEnable: ({ enable: on, filterDuplicates, duration, period }) => {
      const [durationMs, periodMs] = [duration * DURATION_MS, period * PERIOD_MS];
      const refusal =
        familyRule(settings, 'extended') ??
        enableRules(on, filterDuplicates, RESET_EACH_PERIOD) ??
        valid(
          on === 0 || filterDuplicates !== RESET_EACH_PERIOD || (duration > 0 && period > 0),
          'duplicates are filtered by period (0x02) only with Duration and Period',
        ) ??
        valid(
          on === 0 || period === 0 || duration === 0 || durationMs < periodMs,
          `Duration (${durationMs} ms) must be shorter than Period (${periodMs} ms)`,
        );
      if (refusal !== undefined) return refusal;
      if (on === 0) return done(stop);
      const failed = start('extended', filterDuplicates !== 0);
      if (failed === undefined && duration > 0) {
        limit(durationMs, periodMs, filterDuplicates === RESET_EACH_PERIOD);
      }
      return failed ?? Status.success;
    },
  } satisfies Partial<Handlers>;
};
