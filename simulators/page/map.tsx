/** A map of the devices around the adapters, with their links and packets. */
import { computed, signal, useSignal } from '@preact/signals';
import { detached } from '../../src/async/defects.js';
import type { Adapter } from '../control/contract.js';
import {
  BORDER,
  MIDDLE,
  RINGS,
  distanceOf,
  placeAt,
  radiusOf,
  roomAt,
  scaleIn,
  step,
} from './map-position.js';
import { linesOf } from './map-label.js';
import { OUTLINES } from '../../src/page/common/outlines.js';
import { colourOf, dieTypeOf, isLit, ledsOf, markOf, nameOf, shortOf, signalOf, stateOf } from './shown.js';
import { texts } from './texts.js';
import { moveDevice, rollAll } from './actions.js';
import { Action } from '../../src/page/common/action.js';
import { acted, adapterOf, adapters, chosen, inOrder, neighbourOf, traffic, type Device } from './state.js';

interface Point {
  readonly x: number;
  readonly y: number;
}

const at = (radius: number, angle: number): Point => ({
  x: MIDDLE + radius * Math.cos(angle),
  y: MIDDLE + radius * Math.sin(angle),
});

/** The angle without devices at the names of the rings, radians. */
const GAP = 0.35;

const BETWEEN_ADAPTERS = 52;

/** The least scale of a mark with text; smaller marks are dots. */
const LEAST_WRITTEN = 0.5;
/** The least scale of the chosen mark, which is always larger than a dot. */
const LEAST_CHOSEN = 0.6;

const phone = matchMedia('(max-width: 560px)');
const isNarrow = signal(phone.matches);
phone.addEventListener('change', () => (isNarrow.value = phone.matches));

/** The width of a letter in a label and the height of its lines, as in the style sheet; on a phone the map is smaller, and the letters are larger. */
const letter = computed(() => (isNarrow.value ? { width: 7, height: 15 } : { width: 4.7, height: 10 }));

/** The least movement of a drag; a shorter movement chooses the device. */
const MOVED = 6;

const Host = ({ adapter, at: { x, y } }: { readonly adapter: Adapter; readonly at: Point }) => (
  <g class={`host${adapter.powered ? '' : ' off'}`}>
    <circle cx={x} cy={y} r="18" />
    <text x={x} y={y} text-anchor="middle" dominant-baseline="central">
      {adapter.id}
    </text>
  </g>
);

interface LinkProps {
  readonly device: Device;
  readonly from: Point;
  readonly to: Point | undefined;
}

const Link = ({ device, from, to }: LinkProps) => {
  if (to === undefined) return null;
  const way = traffic.value.get(device.address);
  const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  return (
    <g class="link">
      <line {...line} />
      {way === undefined ? null : <line class={`packets ${way}`} {...line} />}
    </g>
  );
};

interface Standing {
  readonly device: Device;
  readonly point: Point;
}

/** Puts each adapter on the side of its devices, so that links do not cross. */
const placedAdapters = (standing: readonly Standing[]): ReadonlyMap<Adapter, Point> => {
  const side = (adapter: Adapter): number => {
    const connected = standing.filter(({ device }) => adapter.devices.includes(device.address));
    return connected.reduce((sum, { point }) => sum + point.x - MIDDLE, 0);
  };
  const sorted = [...adapters.value].sort((a, b) => side(a) - side(b));
  const first = MIDDLE - ((sorted.length - 1) / 2) * BETWEEN_ADAPTERS;
  return new Map(
    sorted.map((adapter, index) => [adapter, { x: first + index * BETWEEN_ADAPTERS, y: MIDDLE }]),
  );
};

interface LabelProps {
  readonly device: Device;
  readonly point: Point;
  readonly scale: number;
  /** The letters of a line that fit between the neighbours. */
  readonly letters: number;
}

const Label = ({ device, point: { x, y }, scale, letters }: LabelProps) => {
  const isChosen = chosen.value === device.address;
  if (!isChosen && scale < 1) return null;
  const short = shortOf(device);
  const lines = linesOf({ short, name: nameOf(device), letters, isChosen });
  return (
    <g class="label" aria-hidden="true">
      {lines.map((line, index) => {
        const half = (line.length * letter.value.width) / 2;
        return (
          <text
            key={index}
            class={line === short ? 'short' : 'device-name'}
            x={Math.min(Math.max(x, half), 2 * MIDDLE - half)}
            y={y + 29 + letter.value.height * index}
            text-anchor="middle"
          >
            {line}
          </text>
        );
      })}
    </g>
  );
};

interface MarkProps {
  readonly device: Device;
  readonly point: Point;
  /** 1: full size. */
  readonly scale: number;
  readonly onMove: (event: PointerEvent) => void;
  readonly dropped: (event: PointerEvent) => void;
}

/** A pulse after an action on a device. */
const Pulse = () => <circle class="pulse" r="20" />;

/** A die in its shape within the colour of its first lit LED, or a disc for other devices. */
const Body = ({ device }: { readonly device: Device }) => {
  const type = dieTypeOf(device);
  const lit = ledsOf(device).find(isLit);
  return (
    <>
      {lit === undefined ? null : <circle class="light" r="20" stroke={`#${lit}`} />}
      {type === undefined ? (
        <circle class="body" r="17" />
      ) : (
        <path class="body" d={OUTLINES[type].outline} transform="translate(-19 -19) scale(0.38)" />
      )}
    </>
  );
};

const idOf = (address: string): string => `mark-${address}`;

/** Chooses a device, and moves the focus to its mark. */
const goTo = (address: string | null): void => {
  if (address === null) return;
  chosen.value = address;
  document.getElementById(idOf(address))?.focus();
};

const KEYS: Readonly<Record<string, (device: Device) => void>> = {
  Enter: ({ address }) => goTo(address),
  ' ': ({ address }) => goTo(address),
  ArrowUp: (device) => detached(moveDevice(device.address, step(device, true))),
  ArrowDown: (device) => detached(moveDevice(device.address, step(device, false))),
  ArrowLeft: ({ address }) => goTo(neighbourOf(address, -1)),
  ArrowRight: ({ address }) => goTo(neighbourOf(address, 1)),
};

const Mark = ({ device, point: { x, y }, scale, onMove: moved, dropped }: MarkProps) => {
  const { address, kind, in_range, model } = device;
  const isChosen = chosen.value === address;
  const size = isChosen ? Math.max(scale, LEAST_CHOSEN) : scale;
  return (
    <g
      class={`mark ${colourOf(device)}${in_range === false ? ' beyond' : ''}${isChosen ? ' chosen' : ''}${size < 1 ? ' small' : ''}`}
      id={idOf(address)}
      role="button"
      tabindex={isChosen ? 0 : -1}
      aria-pressed={isChosen}
      aria-label={texts.device(
        `${texts.name(kind)} ${shortOf(device)} ${markOf(device)}`,
        signalOf(device),
        stateOf(device),
        device.name,
      )}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        chosen.value = address;
      }}
      onPointerMove={(event) => {
        if (event.currentTarget.hasPointerCapture(event.pointerId)) moved(event);
      }}
      onPointerUp={dropped}
      onKeyDown={(event) => {
        const run = KEYS[event.key];
        if (run === undefined) return;
        run(device);
        event.preventDefault();
      }}
    >
      <g transform={`translate(${x} ${y}) scale(${size})`}>
        {acted.value?.address === address ? <Pulse key={acted.value} /> : null}
        <g class={model['rolling'] === true ? 'shaking' : ''}>
          <Body device={device} />
          {size >= LEAST_WRITTEN ? (
            <text class="face" text-anchor="middle" dominant-baseline="central">
              {markOf(device)}
            </text>
          ) : null}
        </g>
      </g>
    </g>
  );
};

/** Draws the chosen device last, above all others. */
const chosenLast = (standing: readonly Standing[]): readonly Standing[] => {
  const isChosen = ({ device }: Standing): boolean => device.address === chosen.value;
  return [...standing.filter((mark) => !isChosen(mark)), ...standing.filter(isChosen)];
};

/** The border of reception, and signals within it. */
const Rings = () => (
  <>
    <circle class="reach" cx={MIDDLE} cy={MIDDLE} r={BORDER} />
    <text class="outside" x={MIDDLE} y={MIDDLE - BORDER - 6} text-anchor="middle">
      {texts.outOfRange}
    </text>
    {RINGS.map((rssi) => (
      <g class="ring" key={rssi}>
        <circle cx={MIDDLE} cy={MIDDLE} r={radiusOf(rssi)} />
        <text x={MIDDLE} y={MIDDLE - radiusOf(rssi) - 3} text-anchor="middle">
          {texts.ring(rssi)}
        </text>
      </g>
    ))}
  </>
);

export const AirMap = () => {
  /** The angles of dragged devices, radians. */
  const angles = useSignal<ReadonlyMap<string, number>>(new Map());
  const dragged = useSignal<(Point & { readonly address: string }) | null>(null);
  const all = inOrder.value;
  const room = roomAt(Math.min(...all.map(distanceOf)), all.length);
  const scale = scaleIn(room);
  const letters = Math.floor(room / letter.value.width);
  const dice = all.filter((device) => dieTypeOf(device) !== undefined);

  const pointOf = (device: Device, index: number): Point => {
    if (dragged.value?.address === device.address) return dragged.value;
    const usual = ((index + 0.5) / all.length) * (2 * Math.PI - GAP) - (Math.PI - GAP) / 2;
    return at(distanceOf(device), angles.value.get(device.address) ?? usual);
  };

  const positionOf = (event: PointerEvent): Point => {
    const { currentTarget } = event;
    const matrix = currentTarget instanceof SVGGraphicsElement ? currentTarget.getScreenCTM() : null;
    return new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix?.inverse());
  };

  const moved = (address: string, from: Point, event: PointerEvent): void => {
    const { x, y } = positionOf(event);
    const isFar = Math.hypot(x - from.x, y - from.y) > MOVED;
    if (dragged.value !== null || isFar) dragged.value = { address, x, y };
  };

  const dropped = (address: string): void => {
    if (dragged.value === null) return;
    const [dx, dy] = [dragged.value.x - MIDDLE, dragged.value.y - MIDDLE];
    angles.value = new Map(angles.value).set(address, Math.atan2(dy, dx));
    detached(moveDevice(address, placeAt(Math.hypot(dx, dy))).then(() => (dragged.value = null)));
  };

  const standing = all.map((device, index) => ({ device, point: pointOf(device, index) }));
  const inFront = chosenLast(standing);
  const hosts = placedAdapters(standing);
  const hostOf = ({ address, connected }: Device): Point | undefined => {
    const adapter = connected ? adapterOf(address) : undefined;
    return adapter === undefined ? undefined : hosts.get(adapter);
  };
  return (
    <figure class="card map">
      <header>
        <h2>{texts.air}</h2>
        {dice.length === 0 ? null : <Action label={texts.rollAll} run={() => rollAll(dice)} />}
      </header>
      <svg viewBox={`0 0 ${2 * MIDDLE} ${2 * MIDDLE}`} role="group" aria-label={texts.map}>
        <Rings />
        {standing.map(({ device, point }) => (
          <Link key={device.address} device={device} from={point} to={hostOf(device)} />
        ))}
        {[...hosts].map(([adapter, point]) => (
          <Host key={adapter.id} adapter={adapter} at={point} />
        ))}
        {inFront.map(({ device, point }) => (
          <Mark
            key={device.address}
            device={device}
            point={point}
            scale={scale}
            onMove={(event) => moved(device.address, point, event)}
            dropped={() => dropped(device.address)}
          />
        ))}
        {inFront.map(({ device, point }) => (
          <Label key={device.address} device={device} point={point} scale={scale} letters={letters} />
        ))}
      </svg>
      <figcaption>
        {texts.mapHint} {adapters.value.length === 0 ? texts.noAdapters : ''}
      </figcaption>
    </figure>
  );
};
