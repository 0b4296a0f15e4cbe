/** Packages that an installation may leave out: `npm install --omit=optional`. */
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The reason why what needs the package `name` cannot be done, as the end of a message; undefined if it is installed. */
export const missingPackage = (name: string): string | undefined => {
  try {
    require.resolve(name);
    return undefined;
  } catch {
    return `it needs the package ${name}, which is not installed: npm install ${name}`;
  }
};
