import { afterEach } from 'mocha';

interface Closable {
  readonly close: () => unknown;
}

/** A function that registers resources; a suite closes them after each test or after all tests, the latest first. */
export const keeper = (after = afterEach) => {
  const open: Closable[] = [];
  after(async () => {
    for (const opened of open.splice(0).reverse()) await opened.close();
  });
  return <A extends Closable>(opened: A): A => {
    open.push(opened);
    return opened;
  };
};
export type Keep = ReturnType<typeof keeper>;
