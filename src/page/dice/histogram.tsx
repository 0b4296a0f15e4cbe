/** The counts of the faces of a die, and a test of its fairness. */
import { useComputed } from '@preact/signals';
import type { AnyDiceType } from '../../dice/contract.js';
import { facesOf } from '../../protocols/dice-values.js';
import { fairness } from '../../dice/fairness.js';
import { written } from '../common/outlines.js';
import { tallies } from './state.js';
import { texts } from './texts.js';

/** More bars in a row are too narrow for their numbers on a phone. */
const MOST_IN_ROW = 12;

const percent = (share: number): string => `${100 * share}%`;

interface HistogramProps {
  readonly session: string;
  readonly type: AnyDiceType;
}

/** The histogram of a die, drawn again only after its own rolls. */
export const Histogram = ({ session, type }: HistogramProps) => {
  const tally = useComputed(() => tallies.value.get(session)).value;
  if (tally === undefined) return null;
  const bars = facesOf(type).map((face) => ({ face, count: tally.get(face) ?? 0 }));
  const counts = bars.map(({ count }) => count);
  const total = counts.reduce((all, count) => all + count, 0);
  const most = Math.max(1, ...counts);
  const expected = total / counts.length;
  const { chiSquare, p, isMeaningful } = fairness(counts);
  const inRow = Math.ceil(bars.length / Math.ceil(bars.length / MOST_IN_ROW));
  const rows = Array.from({ length: bars.length / inRow }, (_, row) =>
    bars.slice(row * inRow, (row + 1) * inRow),
  );
  return (
    <figure class="histogram">
      <figcaption>
        {texts.rolled(total)}, {texts.expected(expected)}
        <br />
        {isMeaningful ? texts.fair(chiSquare, counts.length - 1, p) : texts.tooFew}
      </figcaption>
      <div
        role="img"
        aria-label={bars.map(({ face, count }) => `${written(type, face)}: ${count}`).join(', ')}
      >
        {rows.map((row) => (
          <ol key={row[0]?.face}>
            {row.map(({ face, count }) => (
              <li key={face} title={texts.counted(count)}>
                <span class="room">
                  <span class="bar" style={{ height: percent(count / most) }} />
                  <span class="expected" style={{ bottom: percent(Math.min(1, expected / most)) }} />
                </span>
                {written(type, face)}
              </li>
            ))}
          </ol>
        ))}
      </div>
    </figure>
  );
};
