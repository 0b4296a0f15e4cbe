/** A time on the clock's display: hour 0 to 23, minute 0 to 59. */
export interface TimeOfDay {
  readonly hour: number;
  readonly minute: number;
}

export const isTimeOfDay = ({ hour, minute }: TimeOfDay): boolean => hour <= 23 && minute <= 59;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** `07:30`. */
export const formatTimeOfDay = ({ hour, minute }: TimeOfDay): string =>
  `${twoDigits(hour)}:${twoDigits(minute)}`;

/** Reads what `formatTimeOfDay` writes. */
export const parseTimeOfDay = (text: string): TimeOfDay => {
  const [hour, minute] = text.split(':');
  return { hour: Number(hour), minute: Number(minute) };
};
