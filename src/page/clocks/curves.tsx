/** Curves of the readings of a clock within a day, a week or a year. */
import { useSignal } from '@preact/signals';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import UPlot from 'uplot';
import type { Sensors, Settings } from '../../clock/contract.js';
import { Choices } from '../common/controls.js';
import { DAY_SECS, SPANS, useHistory, type Span } from './history.js';
import { degrees, humidityIn, inUnit, joined, type Point } from './points.js';
import { fullNameOf, type ClockView } from './state.js';
import { texts } from './texts.js';

const HEIGHT = 150;

const colour = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Seconds between times on the axis: whole minutes, hours and days. */
const TICKS = [
  ...[60, 120, 300, 600, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200],
  ...[1, 2, 7, 14, 30, 61, 91].map((days) => days * DAY_SECS),
];

type Format = Settings['time_format'];

/** The local time of day. */
const timeOf = (secs: number, format: Format): string =>
  new Date(secs * 1_000).toLocaleTimeString('en', {
    hour: format === '12h' ? 'numeric' : '2-digit',
    minute: '2-digit',
    hourCycle: format === '12h' ? 'h12' : 'h23',
  });

/** The local date. */
const dateOf = (secs: number): string =>
  new Date(secs * 1_000).toLocaleDateString('en', { day: 'numeric', month: 'short' });

/** The begin of a span: a time of a day, or the date, with the year of the last one. */
const momentOf = (secs: number, span: Span, format: Format): string => {
  if (span === 'day') return timeOf(secs, format);
  return span === 'week' ? dateOf(secs) : `${dateOf(secs)}, ${new Date(secs * 1_000).getFullYear()}`;
};

const isMidnight = (secs: number): boolean => new Date(secs * 1_000).getHours() === 0;

interface CurveProps {
  readonly label: string;
  /** The CSS custom property of the colour. */
  readonly stroke: string;
  /** Times are in seconds since 1970; a value is null in a gap. */
  readonly data: [
    times: number[],
    means: (number | null)[],
    lowest: (number | null)[],
    highest: (number | null)[],
  ];
  readonly span: Span;
  readonly inWords: (value: number) => string;
  readonly format: Format;
}

const plot = (into: HTMLElement, { stroke, data, span, format }: CurveProps): UPlot => {
  const axis = { stroke: colour('--quiet'), grid: { stroke: colour('--line'), width: 1 } };
  return new UPlot(
    {
      width: into.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { show: false },
      scales: {
        x: { range: (_, from, to) => [Math.min(from, to - 2 * SPANS[span].step), to] },
        y: { range: (_, least, most) => [Math.floor(least - 0.5), Math.ceil(most + 0.5)] },
      },
      series: [
        {},
        { stroke: colour(stroke), width: 2 },
        { points: { show: false } },
        { points: { show: false } },
      ],
      // The steps of a day are too short for an area between their lowest and highest values.
      bands: span === 'day' ? [] : [{ series: [3, 2], fill: `${colour(stroke)}33` }],
      axes: [
        {
          ...axis,
          size: 32,
          space: 56,
          incrs: TICKS,
          values: (_, ticks) =>
            ticks.map((secs) => (span !== 'day' && isMidnight(secs) ? dateOf(secs) : timeOf(secs, format))),
        },
        { ...axis, size: 40, space: 28, incrs: [1, 2, 5, 10, 20, 50] },
      ],
    },
    data,
    into,
  );
};

const Curve = (props: CurveProps) => {
  const { label, data, inWords, span, format } = props;
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
  }, [isDark.value, span, format]);
  useEffect(() => drawn.current?.setData(data), [data]);

  const [times, means, lowest, highest] = data;
  const gaps = means.slice(0, -1).filter((value) => value === null).length;
  return (
    <figure class="curve">
      <figcaption>
        <strong>{label}</strong>{' '}
        {texts.curve(
          inWords(Math.min(...lowest.filter((value) => value !== null))),
          inWords(Math.max(...highest.filter((value) => value !== null))),
          momentOf(times[0] ?? 0, span, format),
          gaps,
        )}
      </figcaption>
      <div ref={stage} aria-hidden="true" />
    </figure>
  );
};

const dataOf = (points: readonly Point[], valueOf: (reading: Sensors) => number): CurveProps['data'] => {
  const valuesOf = (of: (point: Point) => Sensors | null): (number | null)[] =>
    points.map(of).map((reading) => (reading === null ? null : valueOf(reading)));
  return [
    points.map(({ at }) => at / 1_000),
    valuesOf(({ reading }) => reading),
    valuesOf(({ reading, low }) => low ?? reading),
    valuesOf(({ reading, high }) => high ?? reading),
  ];
};

export const Curves = ({ clock }: { readonly clock: ClockView }) => {
  const { address, points, settings } = clock;
  const span = useSignal<Span>('day');
  const unit = settings?.temperature_unit ?? 'C';
  const format = settings?.time_format ?? '24h';
  const { history, failure } = useHistory(address, span.value);
  const all = useMemo(
    () => joined(history ?? [], span.value === 'day' ? points : [], SPANS[span.value].step),
    [history, points, span.value],
  );
  const temperatures = useMemo(
    () => dataOf(all, ({ temperature }) => degrees(unit, temperature)),
    [all, unit],
  );
  const humidities = useMemo(() => dataOf(all, ({ humidity }) => humidity), [all]);
  const isCurve = history !== null && all.filter(({ reading }) => reading !== null).length > 1;
  const curve = { span: span.value, format };
  return (
    <>
      <Choices
        label={texts.span}
        of={fullNameOf(clock)}
        class="spans"
        chosen={span.value}
        names={texts.spans}
        choose={(chosen) => (span.value = chosen)}
      />
      {isCurve ? (
        <div class="curves">
          <Curve
            {...curve}
            label={texts.temperature}
            stroke="--warm"
            data={temperatures}
            inWords={(value) => inUnit(unit, value)}
          />
          <Curve {...curve} label={texts.humidity} stroke="--accent" data={humidities} inWords={humidityIn} />
        </div>
      ) : (
        <p class="quiet-text">
          {failure?.error ?? (history === null ? texts.readingCurves : texts.noCurves)}
        </p>
      )}
    </>
  );
};
