/** How much a program does in a second. */
import type { Child } from './child.js';
import type { Goal, Measure } from './part.js';

/** Of a program that tells when it is asked nothing. */
export interface Measured {
  /** Seconds of a processor that it has used. */
  readonly cpu: number;
}

/** For what its processor did, which can be compared even where those who ask are slower than it. */
const perProcessor = (figure: string): string => `${figure}, for each second of the server's processor`;

/** The measurement of `rateOf`. */
export const rates = (figure: string, unit: string, goal: Goal | undefined): Record<string, Measure> => ({
  [figure]: { unit, goal },
  [perProcessor(figure)]: { unit, goal },
});

/** Has `work` done, in which there are `count` of what is counted. */
export const rateOf = async (
  figure: string,
  server: Child<Measured>,
  count: number,
  work: () => Promise<unknown>,
): Promise<Record<string, number>> => {
  const { cpu } = await server.ask({});
  const begun = performance.now();
  await work();
  const seconds = (performance.now() - begun) / 1000;
  const used = (await server.ask({})).cpu - cpu;
  return { [figure]: count / seconds, [perProcessor(figure)]: count / used };
};
