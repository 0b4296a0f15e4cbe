const exit = process.exit.bind(process);

/** Fails a test whose code ends the process: a worker of Mocha would end with it, without the name of the test. */
export const mochaHooks = {
  beforeAll: (): void => {
    process.exit = (status) => {
      throw new Error(`a test ends its process with status ${String(status)}`);
    };
  },
  afterAll: (): void => {
    process.exit = exit;
  },
};
