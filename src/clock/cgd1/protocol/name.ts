/** A clock's local name. On the air a NUL follows it, which belongs to the value (docs/cgd1-protocol.md §1). */
export const CLOCK_NAME = 'Qingping Alarm Clock';

const trailingNuls = /\0+$/;

/** Whether a local name, with or without NULs behind it, is that of a clock. */
export const isClockName = (name: string): boolean => name.replace(trailingNuls, '') === CLOCK_NAME;
