/** `2026-03-01 09:05`, UTC; `at` is in milliseconds since 1970. */
export const minute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

/** `1 Mar 09:05`, UTC. */
export const day = (at: number): string => {
  const time = new Date(at);
  const month = time.toLocaleString('en', { month: 'short', timeZone: 'UTC' });
  return `${time.getUTCDate()} ${month} ${time.toISOString().slice(11, 16)}`;
};

/** `2 min 5 s`, `4.2 s`. */
export const duration = (ms: number): string => {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
};
