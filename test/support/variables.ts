import { afterEach } from 'mocha';

/** A function that sets a variable of the environment until the end of the test; called in a suite. */
export const useVariables = (): ((name: string, value: string) => void) => {
  const originals = new Map<string, string | undefined>();
  afterEach(() => {
    for (const [name, value] of originals) {
      if (value === undefined) Reflect.deleteProperty(process.env, name);
      else process.env[name] = value;
    }
    originals.clear();
  });
  return (name, value) => {
    if (!originals.has(name)) originals.set(name, process.env[name]);
    process.env[name] = value;
  };
};
