/** Curves of what was received of a clock. */
import { useEffect, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { ShelfClock } from './state.js';
import { texts } from './texts.js';

const HEIGHT = 150;

/** Fewer readings than these are dots too. */
const FEW = 30;

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const inWords = (secs: number): string => new Date(secs * 1_000).toLocaleTimeString();

interface CurveProps {
  readonly label: string;
  /** The custom property of its colour. */
  readonly stroke: string;
  /** Seconds since 1970. */
  readonly times: readonly number[];
  readonly values: readonly number[];
}

const plot = (into: HTMLElement, { stroke, times, values }: CurveProps): UPlot => {
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 } };
  return new UPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      series: [{}, { stroke: colour(stroke), width: 2, points: { show: times.length < FEW } }],
      axes: [
        { ...axis, size: 32, space: 90, values: (_, ticks) => ticks.map(inWords) },
        { ...axis, size: 48, space: 24 },
      ],
    },
    [[...times], [...values]],
    into,
  );
};

const Curve = (props: CurveProps) => {
  const { label, times, values } = props;
  const stage = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const into = stage.current;
    if (into === null) return undefined;
    let drawn = plot(into, props);
    const draw = (): void => {
      drawn.destroy();
      drawn = plot(into, props);
    };
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const resized = new ResizeObserver(() => drawn.setSize({ width: into.clientWidth, height: HEIGHT }));
    theme.addEventListener('change', draw);
    resized.observe(into);
    return () => {
      theme.removeEventListener('change', draw);
      resized.disconnect();
      drawn.destroy();
    };
  }, [times.length, times.at(-1), values.at(-1)]);
  return (
    <figure class="curve">
      <figcaption>{label}</figcaption>
      <div ref={stage} role="img" aria-label={texts.curveLabel(label, values)} />
    </figure>
  );
};

export const Curves = ({ clock: { points } }: { readonly clock: ShelfClock }) => {
  if (points.length < 2) return <p class="quiet-text">{texts.noCurves}</p>;
  const times = points.map(({ at }) => at / 1_000);
  return (
    <div class="curves">
      <Curve
        label={`${texts.temperature} (°C)`}
        stroke="--warm"
        times={times}
        values={points.map(({ temperature }) => temperature)}
      />
      <Curve
        label={`${texts.humidity} (%)`}
        stroke="--accent"
        times={times}
        values={points.map(({ humidity }) => humidity)}
      />
    </div>
  );
};
