import type { Received } from '../../port/driver.js';
import {
  isCharging,
  type BatteryState,
  type Identity,
  type Notification,
} from '../../../protocols/pixels/index.js';
import { reportOf, postureIn, type Posture } from './roll.js';

type RollState = Extract<Notification, { _tag: 'RollState' }>;

/** Makes reports of the notifications of a die on a link, but not of repeated notifications. */
export class Reports {
  private posture: Posture | null = null;
  private level: number | null = null;
  private charging: boolean | null = null;

  /** `identity` makes the first reports, after the reports of the notifications in `before`. */
  constructor(
    private readonly identity: Identity,
    before: readonly Notification[],
    private readonly report: (received: Received) => void,
  ) {
    const { colorway, rollState: state, faceIndex, battery, batteryState } = identity;
    if (colorway !== null) report({ report: { _tag: 'Colour', colour: colorway }, makesEvent: false });
    for (const notification of before) this.receive(notification);
    this.receiveRoll({ state, faceIndex });
    this.receiveBattery(battery, batteryState);
  }

  receive(notification: Notification): void {
    if (notification._tag === 'RollState') this.receiveRoll(notification);
    if (notification._tag === 'BatteryLevel') this.receiveBattery(notification.level, notification.state);
  }

  private receiveRoll(reported: Pick<RollState, 'state' | 'faceIndex'>): void {
    const now = postureIn(this.identity, reported);
    if (now === null) return;
    const received = reportOf(this.posture, now);
    this.posture = now;
    if (received !== null) this.report(received);
  }

  private receiveBattery(level: number, state: BatteryState): void {
    const { level: lastLevel, charging: lastCharging } = this;
    const on = isCharging(state);
    this.level = level;
    this.charging = on;
    if (level !== lastLevel)
      this.report({ report: { _tag: 'Battery', level }, makesEvent: lastLevel !== null });
    if (on !== lastCharging)
      this.report({ report: { _tag: 'Charging', on }, makesEvent: lastCharging !== null });
  }
}
