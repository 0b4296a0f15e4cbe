const exit = process.exit.bind(process);

/** Has a test fail whose code ends the process: a worker of Mocha would end with it, and nobody would learn where. */
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
