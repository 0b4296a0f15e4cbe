/** Times in the zone and the words of the browser. */

const TIME = { hour: '2-digit', minute: '2-digit' } as const;
const DAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

const isToday = (date: Date): boolean => date.toDateString() === new Date().toDateString();

/** Such as `16:01`, with the day unless it is today. */
export const momentOf = (time: string): string => {
  const date = new Date(time);
  return date.toLocaleString(undefined, isToday(date) ? TIME : { ...DAY, ...TIME });
};

/** Such as `Thu 26 Nov, 19:05–23:10`. */
export const spanOf = (from: string, to: string): string =>
  new Intl.DateTimeFormat(undefined, { ...DAY, ...TIME }).formatRange(new Date(from), new Date(to));
