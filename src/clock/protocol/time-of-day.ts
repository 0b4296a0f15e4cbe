/** A time on the clock's display: hour 0 to 23, minute 0 to 59. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export const isTimeOfDay = ({ hour, minute }: TimeOfDay): boolean => hour <= 23 && minute <= 59;
