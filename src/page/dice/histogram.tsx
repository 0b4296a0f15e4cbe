/** The counts of the faces of each die, and whether it is fair. */
import { useComputed } from '@preact/signals';
import type { Statistics } from '../../dice/contract.js';
import { facesOf } from '../../protocols/dice-values.js';
import { written } from '../common/outlines.js';
import { addresses, nameAt } from './state.js';
import { statistics } from './statistics.js';
import { texts } from './texts.js';

/** More bars in a row are too narrow for their numbers on a phone. */
const MOST_IN_ROW = 12;

/** Fair dice look as uneven less often than this: a die is suspicious. */
const SUSPICIOUS = 0.01;

const percent = (share: number): string => `${100 * share}%`;

const verdictOf = ({ p, rolls, expected }: Statistics): string => {
  // The test needs five of each face.
  if (p === null) return texts.tooFew(Math.ceil((5 * rolls) / expected) - rolls);
  return p < SUSPICIOUS ? texts.suspicious(p) : texts.fair(p);
};

const Bars = ({ of: { dice_type: type, counts, expected } }: { readonly of: Statistics }) => {
  const bars = facesOf(type).map((face) => ({ face, count: counts[String(face)] ?? 0 }));
  const most = Math.max(1, ...bars.map(({ count }) => count));
  const inRow = Math.ceil(bars.length / Math.ceil(bars.length / MOST_IN_ROW));
  const rows = Array.from({ length: bars.length / inRow }, (_, row) =>
    bars.slice(row * inRow, (row + 1) * inRow),
  );
  return (
    <div role="img" aria-label={bars.map(({ face, count }) => `${written(type, face)}: ${count}`).join(', ')}>
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
  );
};

/** The histogram of a die, drawn again only after its own rolls. */
const Histogram = ({ address }: { readonly address: string }) => {
  const counted = useComputed(() => statistics.value.get(address)).value;
  if (counted === undefined || counted.rolls === 0) return null;
  const { p, chi_squared, degrees, mean, longest_run } = counted;
  const isSuspicious = p !== null && p < SUSPICIOUS;
  return (
    <figure class="histogram" aria-label={nameAt(address)}>
      <h3>{nameAt(address)}</h3>
      <p class={isSuspicious ? 'suspicious' : ''}>{verdictOf(counted)}</p>
      <Bars of={counted} />
      <figcaption title={texts.chiSquared(chi_squared, degrees, p)}>
        {texts.rolled(counted.rolls)}
        {mean === null ? '' : `, ${texts.mean(mean)}`}, {texts.longestRun(longest_run)}
      </figcaption>
    </figure>
  );
};

export const Histograms = () => (
  <section class="histograms" aria-label={texts.histograms}>
    {addresses.value.map((address) => (
      <Histogram key={address} address={address} />
    ))}
  </section>
);
