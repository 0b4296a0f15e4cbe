/** The message of a failure without the stack. */
export const withoutStack = (reason: string): string =>
  reason
    .trim()
    .split('\n')
    .filter((line) => !/^\s+at /.test(line))
    .join('\n');

const REASON_LINES = 2;
const REASON_LENGTH = 300;

/** The beginning of a reason. */
export const shortReason = (reason: string): string => {
  const whole = withoutStack(reason);
  const text = whole.split('\n').slice(0, REASON_LINES).join('\n').slice(0, REASON_LENGTH);
  return text.length < whole.length ? `${text} …` : text;
};
