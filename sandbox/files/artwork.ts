/**
 * A landscape of plain vector shapes, for PDF pages and for pixel images.
 * The same seed produces the same picture, so that two downloads of a file have the same bytes.
 */

export interface Shape {
  /** SVG path data in millimetres. The origin is the top left corner. */
  readonly path: string;
  /** `#rrggbb`. */
  readonly color: string;
}

const PALETTES = [
  { sky: ['#45497d', '#f4b591'], sun: '#ffe8b6', hills: ['#a8656b', '#7c4a62', '#4f3558', '#2a2344'] },
  { sky: ['#7ec8e3', '#f6f4d2'], sun: '#fff6c9', hills: ['#a7c48a', '#7fa86b', '#54844f', '#2f5d3a'] },
  { sky: ['#f7c59f', '#efefd0'], sun: '#ff6b35', hills: ['#6aa3b5', '#3f7d94', '#1f5a73', '#0d3b52'] },
  { sky: ['#2b2d42', '#8d99ae'], sun: '#edf2f4', hills: ['#6c7a96', '#515f7e', '#39455f', '#222b40'] },
] as const;

/** Returns a generator of numbers in [0, 1) for a seed (mulberry32). */
function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function mix(from: string, to: string, share: number): string {
  const channel = (at: number) => {
    const a = Number.parseInt(from.slice(at, at + 2), 16);
    const b = Number.parseInt(to.slice(at, at + 2), 16);
    return Math.round(a + (b - a) * share)
      .toString(16)
      .padStart(2, '0');
  };
  return `#${channel(1)}${channel(3)}${channel(5)}`;
}

const n = (value: number) => value.toFixed(2);

function circle(x: number, y: number, r: number): string {
  const arc = `A ${n(r)} ${n(r)} 0 1 0`;
  return `M ${n(x - r)} ${n(y)} ${arc} ${n(x + r)} ${n(y)} ${arc} ${n(x - r)} ${n(y)} Z`;
}

/**
 * Returns the shapes of a landscape of `width` x `height` millimetres.
 * @param ground false omits the sky, for artwork with a clear background such as a shirt print
 */
export function landscape(width: number, height: number, seed: number, ground = true): Shape[] {
  const next = numbersFrom(seed);
  const palette = PALETTES[seed % PALETTES.length]!;
  const shapes: Shape[] = [];
  const bands = 24;
  for (let band = 0; ground && band < bands; band++) {
    const top = (height * band) / bands;
    // Bands overlap, so that anti-aliasing leaves no hairline between them.
    const bottom = Math.min(height, top + (2 * height) / bands);
    shapes.push({
      path: `M 0 ${n(top)} H ${n(width)} V ${n(bottom)} H 0 Z`,
      color: mix(palette.sky[0], palette.sky[1], band / (bands - 1)),
    });
  }
  const sun = Math.min(width, height) * (0.1 + 0.06 * next());
  shapes.push({
    path: circle(width * (0.25 + 0.5 * next()), height * (0.22 + 0.15 * next()), sun),
    color: palette.sun,
  });
  palette.hills.forEach((color, layer) => {
    const base = height * (0.5 + 0.13 * layer);
    const swing = height * 0.14;
    const crests = 4;
    let y = base - swing * next();
    let path = `M 0 ${n(height)} L 0 ${n(y)}`;
    for (let crest = 1; crest <= crests; crest++) {
      const x = (width * crest) / crests;
      const reach = width / crests / 2;
      // The curve is level at both ends, so that it continues without a kink.
      const to = base + swing * (crest % 2 === 0 ? -next() : 0.4 * next());
      path += ` C ${n(x - reach)} ${n(y)} ${n(x - reach)} ${n(to)} ${n(x)} ${n(to)}`;
      y = to;
    }
    shapes.push({ path: `${path} L ${n(width)} ${n(height)} Z`, color });
  });
  for (let bird = 0; bird < 5; bird++) {
    const x = width * (0.15 + 0.7 * next());
    const y = height * (0.08 + 0.25 * next());
    const span = width * (0.012 + 0.012 * next());
    shapes.push({
      path: `M ${n(x - span)} ${n(y - span * 0.5)} Q ${n(x - span * 0.4)} ${n(y - span * 0.6)} ${n(x)} ${n(y)} Q ${n(x + span * 0.4)} ${n(y - span * 0.6)} ${n(x + span)} ${n(y - span * 0.5)} Q ${n(x + span * 0.4)} ${n(y - span * 0.3)} ${n(x)} ${n(y + span * 0.25)} Q ${n(x - span * 0.4)} ${n(y - span * 0.3)} ${n(x - span)} ${n(y - span * 0.5)} Z`,
      color: palette.hills[3],
    });
  }
  return shapes;
}
