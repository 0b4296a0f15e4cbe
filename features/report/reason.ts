/** The message of a failure without the stack. */
export const withoutStack = (reason: string): string =>
  reason
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n');
