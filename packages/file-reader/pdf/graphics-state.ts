import type { PdfDict } from '@libpdf/core';
import { EFFECTS, type Effect } from '../facts';
import { type ColorSpace, GRAY } from './color-spaces';

/** [a, b, c, d, e, f] of ISO 32000-1, 8.3.3. */
export type Matrix = readonly [number, number, number, number, number, number];

export const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

/** Returns the matrix that applies `first` and then `second`. */
export function multiplied(first: Matrix, second: Matrix): Matrix {
  const [a, b, c, d, e, f] = first;
  const [p, q, r, s, t, u] = second;
  return [a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u];
}

/** What fills or strokes are painted with. */
export interface Paint {
  /** Null for a pattern with colours of its own. */
  readonly space: ColorSpace | null;
  readonly pattern: PdfDict | null;
  /** Sum of the four process inks, when they are given. */
  readonly inkPercent: number | null;
}

/** The part of the graphics state that the measurement needs (ISO 32000-1, 8.4). */
export interface GraphicsState {
  readonly matrix: Matrix;
  readonly fill: Paint;
  readonly stroke: Paint;
  readonly font: PdfDict | null;
  readonly textMode: number;
  /** Sets of effects (`effectBit`). */
  readonly fillEffects: number;
  readonly strokeEffects: number;
}

const BLACK: Paint = { space: GRAY, pattern: null, inkPercent: null };

/** The state at the start of a page. */
export const INITIAL: GraphicsState = {
  matrix: IDENTITY,
  fill: BLACK,
  stroke: BLACK,
  font: null,
  textMode: 0,
  fillEffects: 0,
  strokeEffects: 0,
};

/** Returns the bit of an effect in a set of effects. */
export function effectBit(effect: Effect): number {
  return 1 << EFFECTS.indexOf(effect);
}

/** Returns true when the same content paints the same in both states. */
export function paintsEqually(a: GraphicsState, b: GraphicsState): boolean {
  const equal = (one: Paint, other: Paint) =>
    one.space === other.space && one.pattern === other.pattern && one.inkPercent === other.inkPercent;
  return (
    a.matrix.every((value, index) => value === b.matrix[index]) &&
    equal(a.fill, b.fill) &&
    equal(a.stroke, b.stroke) &&
    a.font === b.font &&
    a.textMode === b.textMode &&
    a.fillEffects === b.fillEffects &&
    a.strokeEffects === b.strokeEffects
  );
}
