import { afterEach } from 'mocha';

interface Closable {
  readonly close: () => unknown;
}

/** Keeps what the tests of a suite open, and closes it after each test, the latest first. */
export const keeper = () => {
  const open: Closable[] = [];
  afterEach(async () => {
    for (const opened of open.splice(0).reverse()) await opened.close();
  });
  return <A extends Closable>(opened: A): A => {
    open.push(opened);
    return opened;
  };
};
