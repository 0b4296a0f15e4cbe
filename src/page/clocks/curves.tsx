/** Curves of the readings of a clock within a day. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { Settings } from '../../clock/contract.js';
import { degrees, humidityIn, inUnit, type Point } from './points.js';
import type { ClockView } from './state.js';
import { texts } from './texts.js';

const HEIGHT = 150;

/** Seconds: the width of the curve of a newly connected clock. */
const SHORTEST_SECS = 600;

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Seconds between times on the axis: whole minutes and hours. */
const TICKS = [60, 120, 300, 600, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200];

type Format = Settings['time_format'];

/** The local time of day. */
const timeOf = (secs: number, format: Format): string =>
  new Date(secs * 1_000).toLocaleTimeString('en', {
    hour: format === '12h' ? 'numeric' : '2-digit',
    minute: '2-digit',
    hourCycle: format === '12h' ? 'h12' : 'h23',
  });

interface CurveProps {
  readonly label: string;
  /** The CSS custom property of the colour. */
  readonly stroke: string;
  /** Times are in seconds since 1970; a value is null in a gap. */
  readonly data: [times: number[], values: (number | null)[]];
  readonly inWords: (value: number) => string;
  readonly format: Format;
}

const plot = (into: HTMLElement, { stroke, data, format }: CurveProps): UPlot => {
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 } };
  return new UPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, from, to) => [Math.min(from, to - SHORTEST_SECS), to] },
        y: { range: (_, least, most) => [Math.floor(least - 0.5), Math.ceil(most + 0.5)] },
      },
      series: [{}, { stroke: colour(stroke), width: 2 }],
      axes: [
        {
          ...axis,
          size: 32,
          space: 56,
          incrs: TICKS,
          values: (_, ticks) => ticks.map((secs) => timeOf(secs, format)),
        },
        { ...axis, size: 40, space: 28, incrs: [1, 2, 5, 10, 20, 50] },
      ],
    },
    data,
    into,
  );
};

const Curve = (props: CurveProps) => {
  const { label, data, inWords, format } = props;
  const stage = useRef<HTMLDivElement>(null);
  const drawn = useRef<UPlot | null>(null);
  const isDark = useSignal(false);

  useEffect(() => {
    const into = stage.current;
    if (into === null) return undefined;
    const theme = matchMedia('(prefers-color-scheme: dark)');
    const themed = (): void => {
      isDark.value = theme.matches;
    };
    const resized = new ResizeObserver(() =>
      drawn.current?.setSize({ width: into.clientWidth, height: HEIGHT }),
    );
    themed();
    theme.addEventListener('change', themed);
    resized.observe(into);
    return () => {
      theme.removeEventListener('change', themed);
      resized.disconnect();
    };
  }, []);
  useEffect(() => {
    const into = stage.current;
    drawn.current = into === null ? null : plot(into, props);
    return () => drawn.current?.destroy();
  }, [isDark.value, format]);
  useEffect(() => drawn.current?.setData(data), [data]);

  const [times, values] = data;
  const numbers = values.filter((value) => value !== null);
  const gaps = values.slice(0, -1).filter((value) => value === null).length;
  return (
    <figure class="curve">
      <figcaption>
        <strong>{label}</strong>{' '}
        {texts.curve(
          inWords(Math.min(...numbers)),
          inWords(Math.max(...numbers)),
          timeOf(times[0] ?? 0, format),
          gaps,
        )}
      </figcaption>
      <div ref={stage} aria-hidden="true" />
    </figure>
  );
};

const dataOf = (points: readonly Point[], valueOf: (reading: NonNullable<Point['reading']>) => number) => {
  const values = points.map(({ reading }) => (reading === null ? null : valueOf(reading)));
  const times = points.map(({ at }) => at / 1_000);
  return [times, values] satisfies CurveProps['data'];
};

export const Curves = ({ clock: { points, settings } }: { readonly clock: ClockView }) => {
  const unit = settings?.temperature_unit ?? 'C';
  const format = settings?.time_format ?? '24h';
  const measured = points.filter(({ reading }) => reading !== null);
  const temperatures = useMemo(
    () => dataOf(points, ({ temperature }) => degrees(unit, temperature)),
    [points, unit],
  );
  const humidities = useMemo(() => dataOf(points, ({ humidity }) => humidity), [points]);
  if (measured.length < 2) return <p class="quiet-text">{texts.noCurves}</p>;
  return (
    <div class="curves">
      <Curve
        label={texts.temperature}
        stroke="--warm"
        data={temperatures}
        format={format}
        inWords={(value) => inUnit(unit, value)}
      />
      <Curve
        label={texts.humidity}
        stroke="--accent"
        data={humidities}
        format={format}
        inWords={humidityIn}
      />
    </div>
  );
};
