/** Whose code takes the time. */
import { Session } from 'node:inspector/promises';

const INTERVAL_US = 200;

/** Parts of the time in which `work` kept the processor busy, of what is in these folders, and of all the rest. */
export const profiled = async (
  work: () => Promise<void>,
  isOurs: (url: string) => boolean,
): Promise<{ readonly ours: number; readonly all: number }> => {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: INTERVAL_US });
  await session.post('Profiler.start');
  await work();
  const { profile } = await session.post('Profiler.stop');
  session.disconnect();
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const callers = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  /** The file that called what is Node's own. */
  const fileOf = (id: number | undefined): string => {
    if (id === undefined) return '';
    const { url } = nodes.get(id)?.callFrame ?? { url: '' };
    return url === '' || url.startsWith('node:') ? fileOf(callers.get(id)) : url;
  };
  let [ours, all] = [0, 0];
  for (const [index, id] of (profile.samples ?? []).entries()) {
    if (nodes.get(id)?.callFrame.functionName === '(idle)') continue;
    const took = profile.timeDeltas?.[index] ?? 0;
    all += took;
    if (isOurs(fileOf(id))) ours += took;
  }
  return { ours: ours / 1000, all: all / 1000 };
};
