import { afterEach } from 'mocha';

/** A function that sets a variable of the environment until the end of the test; to be called in a suite. */
export const useVariables = (): ((name: string, value: string) => void) => {
  const usual = new Map<string, string | undefined>();
  afterEach(() => {
    for (const [name, value] of usual) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    usual.clear();
  });
  return (name, value) => {
    if (!usual.has(name)) usual.set(name, process.env[name]);
    process.env[name] = value;
  };
};
