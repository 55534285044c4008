import type { PdfDict, PdfObject, PdfStream } from '@libpdf/core';
import type { Effect } from '../facts';
import { CMYK, type ColorSpace, type ColorSpaces, GRAY, inkPercent, RGB } from './color-spaces';
import type { ContentReader, InlineDict, Operand } from './content-lexer';
import type { Layers } from './document-facts';
import { effectBit, type GraphicsState, type Matrix, multiplied, type Paint } from './graphics-state';
import type { PdfFile } from './pdf-file';

/** Editors nest a few tens. */
const MAX_SAVED_STATES = 1_000;

/** Text rendering modes (ISO 32000-1, table 106) that fill, and that stroke. */
const FILLING_MODES = new Set([0, 2, 4, 6]);
const STROKING_MODES = new Set([1, 2, 5, 6]);
/** Adds the text to the clipping path only: its glyphs are the shape of what is painted next. */
const CLIPPING_MODE = 7;

type ResourceKind = 'ColorSpace' | 'ExtGState' | 'Font' | 'Pattern' | 'Properties' | 'Shading' | 'XObject';

/** What is told of everything that the operators of a page's content paint. */
export interface Painter {
  readonly file: PdfFile;
  readonly spaces: ColorSpaces;
  readonly layers: Layers;
  color(paint: Paint, effects: number, base: Matrix): void;
  colorSpace(space: ColorSpace, inkPercent: number | null): void;
  effects(effects: number): void;
  font(font: PdfDict): void;
  image(kind: 'image' | 'mask' | 'inline', space: ColorSpace | null, pixels: Pixels, matrix: Matrix): boolean;
  /** An image that `image` has told of, or its soft mask. */
  imageObject(image: PdfStream): void;
  form(form: PdfStream, state: GraphicsState, resources: PdfDict | undefined): void;
  shading(shading: PdfDict | undefined, named: PdfDict | undefined): void;
}

/** Width and height of an image. */
export type Pixels = readonly [width: number | undefined, height: number | undefined];

/** Carries out the operators of one content stream: keeps the graphics state, and reports what is painted. */
export class ContentOperators implements ContentReader {
  private readonly saved: GraphicsState[] = [];
  /** For every open marked content, whether it is on a hidden layer. */
  private readonly marked: boolean[] = [];
  private hidden = 0;
  private readonly resourceDicts = new Map<ResourceKind, PdfDict | undefined>();
  /** Patterns are placed in the space of the content, not in the current one. */
  private readonly base: Matrix;

  constructor(
    private readonly page: Painter,
    private readonly resources: PdfDict | undefined,
    private state: GraphicsState,
  ) {
    this.base = state.matrix;
  }

  operator(name: string, operands: readonly Operand[]): void {
    OPERATORS[name]?.call(this, operands);
  }

  inlineImage(dict: InlineDict): void {
    const entry = (short: string, long: string) => dict.get(short) ?? dict.get(long);
    const isMask = entry('IM', 'ImageMask') === true;
    const pixels = (['W', 'H'] as const).map((side) => {
      const value = entry(side, side === 'W' ? 'Width' : 'Height');
      return typeof value === 'number' ? value : undefined;
    }) as [number | undefined, number | undefined];
    let space = entry('CS', 'ColorSpace');
    // [/Indexed base last table]
    if (Array.isArray(space)) space = space[1];
    this.paintImage(isMask, 'inline', typeof space === 'string' ? this.namedSpace(space) : null, pixels);
  }

  save(): void {
    if (this.saved.length < MAX_SAVED_STATES) this.saved.push(this.state);
  }

  restore(): void {
    this.state = this.saved.pop() ?? this.state;
  }

  concatenate(operands: readonly Operand[]): void {
    const matrix = numbersOf(operands);
    if (matrix.length === 6) this.set({ matrix: multiplied(matrix as unknown as Matrix, this.state.matrix) });
  }

  paint(fills: boolean, strokes: boolean): void {
    if (this.hidden > 0) return;
    const { fill, stroke, fillEffects, strokeEffects } = this.state;
    if (fills) this.page.color(fill, fillEffects, this.base);
    if (strokes) this.page.color(stroke, strokeEffects, this.base);
  }

  showText(): void {
    const { textMode, font } = this.state;
    const [fills, strokes] = [FILLING_MODES.has(textMode), STROKING_MODES.has(textMode)];
    if (this.hidden > 0 || !(fills || strokes || textMode === CLIPPING_MODE)) return;
    if (font !== null) this.page.font(font);
    this.paint(fills, strokes);
  }

  deviceColor(target: 'fill' | 'stroke', space: ColorSpace, operands: readonly Operand[]): void {
    const named = this.namedSpace(space.space) ?? space;
    this.set({ [target]: paintOf(named, operands) });
  }

  chooseSpace(target: 'fill' | 'stroke', [name]: readonly Operand[]): void {
    if (typeof name === 'string')
      this.set({ [target]: { space: this.namedSpace(name), pattern: null, inkPercent: null } });
  }

  chooseColor(target: 'fill' | 'stroke', operands: readonly Operand[]): void {
    const { space } = this.state[target];
    const name = operands.at(-1);
    const pattern = typeof name === 'string' ? this.page.file.dict(this.resource('Pattern', name)) : undefined;
    this.set({ [target]: pattern === undefined ? paintOf(space, operands) : { space, pattern, inkPercent: null } });
  }

  chooseFont([name]: readonly Operand[]): void {
    if (typeof name === 'string') this.set({ font: this.page.file.dict(this.resource('Font', name)) ?? null });
  }

  chooseTextMode([mode]: readonly Operand[]): void {
    if (typeof mode === 'number') this.set({ textMode: mode });
  }

  /** Applies a graphics state dictionary (table 58). */
  applyState([name]: readonly Operand[]): void {
    const { file } = this.page;
    const dict = typeof name === 'string' ? file.dict(this.resource('ExtGState', name)) : undefined;
    if (dict === undefined) return;
    let { fillEffects, strokeEffects } = this.state;
    const change = (effect: Effect, isOn: boolean | undefined, ...targets: ('fill' | 'stroke')[]) => {
      if (isOn === undefined) return;
      const bit = effectBit(effect);
      for (const target of targets) {
        if (target === 'fill') fillEffects = isOn ? fillEffects | bit : fillEffects & ~bit;
        else strokeEffects = isOn ? strokeEffects | bit : strokeEffects & ~bit;
      }
    };
    const below = (key: string) => {
      const value = file.number(dict.get(key));
      return value === undefined ? undefined : value < 1;
    };
    const flag = (key: string) => file.flag(dict.get(key));
    change('alpha', below('ca'), 'fill');
    change('alpha', below('CA'), 'stroke');
    change('overprint', flag('OP'), 'stroke');
    change('overprint', flag('op') ?? flag('OP'), 'fill');
    if (dict.has('SMask')) change('soft_mask', file.dict(dict.get('SMask')) !== undefined, 'fill', 'stroke');
    if (dict.has('BM')) {
      const modes = file.array(dict.get('BM'));
      const mode = file.name(modes === undefined ? dict.get('BM') : modes.at(0));
      change('blend_mode', mode !== 'Normal' && mode !== 'Compatible', 'fill', 'stroke');
    }
    const font = file.dict(file.array(dict.get('Font'))?.at(0));
    this.set({ fillEffects, strokeEffects, ...(font && { font }) });
  }

  paintShading([name]: readonly Operand[]): void {
    if (this.hidden > 0 || typeof name !== 'string') return;
    this.page.effects(this.state.fillEffects);
    this.page.shading(this.page.file.dict(this.resource('Shading', name)), this.dictOf('ColorSpace'));
  }

  paintObject([name]: readonly Operand[]): void {
    if (this.hidden > 0 || typeof name !== 'string') return;
    const { file, layers } = this.page;
    const object = file.stream(this.resource('XObject', name));
    if (object === undefined || layers.isHidden(object.get('OC'))) return;
    const type = file.name(object.get('Subtype'));
    if (type === 'Form') this.page.form(object, this.state, this.resources);
    if (type === 'Image') this.paintImageObject(object);
  }

  beginMarked([tag, properties]: readonly Operand[]): void {
    const named = tag === 'OC' && typeof properties === 'string' ? this.resource('Properties', properties) : undefined;
    const isHidden = named !== undefined && this.page.layers.isHidden(named);
    this.marked.push(isHidden);
    if (isHidden) this.hidden += 1;
  }

  endMarked(): void {
    if (this.marked.pop() === true) this.hidden -= 1;
  }

  private paintImageObject(image: PdfStream): void {
    const { file, spaces } = this.page;
    const isMask = file.flag(image.get('ImageMask')) === true;
    const space = spaces.ofImage(image, this.dictOf('ColorSpace'));
    const softMask = file.stream(image.get('SMask'));
    const hasSoftMask = softMask !== undefined || (file.number(image.get('SMaskInData')) ?? 0) > 0;
    if (hasSoftMask) this.page.effects(effectBit('soft_mask'));
    const pixels = [file.number(image.get('Width')), file.number(image.get('Height'))] as const;
    if (!this.paintImage(isMask, isMask ? 'mask' : 'image', space, pixels)) return;
    this.page.imageObject(image);
    if (softMask !== undefined) this.page.imageObject(softMask);
  }

  private paintImage(
    isMask: boolean,
    kind: 'image' | 'mask' | 'inline',
    own: ColorSpace | null,
    pixels: Pixels,
  ): boolean {
    if (this.hidden > 0) return false;
    const { fill, fillEffects, matrix } = this.state;
    const space = isMask ? fill.space : own;
    if (!this.page.image(kind, space, pixels, matrix)) return false;
    if (isMask) {
      this.paint(true, false);
      return true;
    }
    this.page.effects(fillEffects);
    if (space !== null) this.page.colorSpace(space, null);
    return true;
  }

  private set(change: Partial<GraphicsState>): void {
    this.state = { ...this.state, ...change };
  }

  private namedSpace(name: string): ColorSpace | null {
    return this.page.spaces.byName(name, this.dictOf('ColorSpace'));
  }

  private resource(kind: ResourceKind, name: string): PdfObject | undefined {
    return this.dictOf(kind)?.get(name);
  }

  private dictOf(kind: ResourceKind): PdfDict | undefined {
    if (!this.resourceDicts.has(kind)) this.resourceDicts.set(kind, this.page.file.dict(this.resources?.get(kind)));
    return this.resourceDicts.get(kind);
  }
}

type Handler = (this: ContentOperators, operands: readonly Operand[]) => void;

const painting = (fills: boolean, strokes: boolean): Handler =>
  function () {
    this.paint(fills, strokes);
  };
const device = (target: 'fill' | 'stroke', space: ColorSpace): Handler =>
  function (operands) {
    this.deviceColor(target, space, operands);
  };
const choosing = (target: 'fill' | 'stroke'): Handler =>
  function (operands) {
    this.chooseColor(target, operands);
  };
const choosingSpace = (target: 'fill' | 'stroke'): Handler =>
  function (operands) {
    this.chooseSpace(target, operands);
  };

const { showText, beginMarked } = ContentOperators.prototype;

/** The operators that change what is painted, or paint (ISO 32000-1, annex A). Paths and positions of text do not matter. */
const OPERATORS: Readonly<Record<string, Handler | undefined>> = Object.assign(Object.create(null), {
  q: ContentOperators.prototype.save,
  Q: ContentOperators.prototype.restore,
  cm: ContentOperators.prototype.concatenate,
  gs: ContentOperators.prototype.applyState,
  g: device('fill', GRAY),
  G: device('stroke', GRAY),
  rg: device('fill', RGB),
  RG: device('stroke', RGB),
  k: device('fill', CMYK),
  K: device('stroke', CMYK),
  cs: choosingSpace('fill'),
  CS: choosingSpace('stroke'),
  sc: choosing('fill'),
  scn: choosing('fill'),
  SC: choosing('stroke'),
  SCN: choosing('stroke'),
  f: painting(true, false),
  F: painting(true, false),
  'f*': painting(true, false),
  S: painting(false, true),
  s: painting(false, true),
  B: painting(true, true),
  'B*': painting(true, true),
  b: painting(true, true),
  'b*': painting(true, true),
  sh: ContentOperators.prototype.paintShading,
  Do: ContentOperators.prototype.paintObject,
  Tf: ContentOperators.prototype.chooseFont,
  Tr: ContentOperators.prototype.chooseTextMode,
  Tj: showText,
  TJ: showText,
  "'": showText,
  '"': showText,
  BDC: beginMarked,
  BMC: beginMarked,
  EMC: ContentOperators.prototype.endMarked,
} satisfies Record<string, Handler>);

function numbersOf(operands: readonly Operand[]): number[] {
  return operands.filter((operand) => typeof operand === 'number');
}

function paintOf(space: ColorSpace | null, operands: readonly Operand[]): Paint {
  return { space, pattern: null, inkPercent: inkPercent(space, numbersOf(operands)) };
}
