import { type PdfDict, type PdfObject, PdfStream } from '@libpdf/core';
import { EFFECTS, type FileFacts, isPartOfDrawing } from '../facts';
import { type ColorSpace, ColorSpaces, inkPercent } from './color-spaces';
import { readContent } from './content-lexer';
import { ContentOperators, type Painter, type Pixels } from './content-operators';
import { Layers } from './document-facts';
import {
  effectBit,
  type GraphicsState,
  INITIAL,
  type Matrix,
  multiplied,
  type Paint,
  paintsEqually,
} from './graphics-state';
import type { Note, PageFacts } from './page-facts';
import type { Page } from './page-tree';
import { decodedBytes, type PdfFile } from './pdf-file';

/**
 * Bytes of content that are read for one file, forms and patterns counted as often as they are read. Two seconds of CPU time
 * for each 100 MB. Forms that contain each other twice double it on each level.
 */
const MAX_CONTENT = 256 * 1024 * 1024;
/** Cost of a form or pattern beside its bytes. */
const COST_OF_CONTENT = 1_000;
const MAX_NESTING = 24;
/** Facts that are kept to repeat them when the same form is painted again. */
const MAX_KEPT_NOTES = 1_000;

/** The content of the pages is too complex to read all of it. */
export class ContentTooComplex extends Error {}

/** What a form painted, to be repeated on other pages. */
interface Painted {
  readonly state: GraphicsState;
  readonly clip: readonly number[];
  readonly notes: readonly Note[];
}

/** Reads the content of pages and notes what is painted: images, colours, fonts and effects. */
export class PageContents implements Painter {
  readonly spaces: ColorSpaces;
  readonly layers: Layers;
  private readonly painted = new Map<PdfStream, Painted>();
  private readonly fonts = new Map<PdfDict, Note>();
  /** Forms and patterns that are being read: one that contains itself is not read again. */
  private readonly active = new Set<PdfStream>();
  /** Notes of the forms that are being read, outermost first. */
  private readonly recordings: Note[][] = [];
  /** What the page, or the form that is being read, has painted already. It is noted once. */
  private seen = new Map<unknown, number>();
  /** The images that were painted, each with the first page that has it. */
  readonly images = new Map<PdfStream, number>();
  private left = MAX_CONTENT;
  private clip: readonly number[] = [];
  private userUnit = 1;

  constructor(
    readonly file: PdfFile,
    private readonly facts: PageFacts,
  ) {
    this.spaces = new ColorSpaces(file);
    this.layers = new Layers(file);
  }

  /** @throws ContentTooComplex, or Error when a part of the content cannot be read */
  read(page: Page): void {
    this.seen = new Map();
    this.recordings.length = 0;
    this.active.clear();
    this.clip = page.boxes.cropBox;
    this.userUnit = page.boxes.userUnit;
    const streams = this.streamsOf(page.dict);
    const found = streams.filter((stream) => stream !== undefined);
    const bytes = found.flatMap((stream) => [decodedBytes(this.file, stream), Buffer.from('\n')]);
    const content = bytes.length === 2 ? bytes[0]! : Buffer.concat(bytes);
    this.readContent(content, this.file.dict(page.resources), INITIAL);
    if (found.length < streams.length) throw new Error('a part of the content is missing or damaged');
  }

  /** Returns the streams of a page's content, which are read as one. Undefined: one that cannot be read. */
  private streamsOf(page: PdfDict): (PdfStream | undefined)[] {
    const contents = page.get('Contents');
    if (contents === undefined) return [];
    const parts = this.file.array(contents);
    return (parts === undefined ? [contents] : [...parts]).map((part) => this.file.stream(part));
  }

  private readContent(bytes: Uint8Array, resources: PdfDict | undefined, initial: GraphicsState): void {
    this.left -= bytes.length + COST_OF_CONTENT;
    if (this.left < 0) throw new ContentTooComplex('the content of the pages is too complex');
    readContent(bytes, new ContentOperators(this, resources, initial));
  }

  note(note: Note): void {
    this.facts.add(note);
    for (const notes of this.recordings) if (notes.length <= MAX_KEPT_NOTES) notes.push(note);
  }

  private isNew(painted: unknown): boolean {
    if (this.seen.has(painted)) return false;
    this.seen.set(painted, 0);
    return true;
  }

  /** Notes a colour and the effects that it is painted with. */
  color(paint: Paint, effects: number, base: Matrix): void {
    this.effects(effects);
    if (paint.pattern !== null) this.pattern(paint.pattern, { ...paint, pattern: null }, effects, base);
    if (paint.space !== null) this.colorSpace(paint.space, paint.inkPercent);
  }

  colorSpace(space: ColorSpace, inkPercent: number | null): void {
    const seen = this.seen.get(space);
    if (seen !== undefined && (inkPercent ?? 0) <= seen) return;
    this.seen.set(space, inkPercent ?? 0);
    const { model, space: family, profile, colorants } = space;
    const fact = { model, space: family, profile, colorants: [...colorants], maxInkPercent: inkPercent };
    this.note({ list: 'colors', key: `${model} ${family} ${profile} ${colorants.join('/')}`, fact });
  }

  effects(effects: number): void {
    if (effects === 0 || !this.isNew(effects)) return;
    for (const effect of EFFECTS) {
      if ((effects & effectBit(effect)) !== 0) this.note({ list: 'effects', key: effect, fact: { effect } });
    }
  }

  font(font: PdfDict): void {
    if (!this.isNew(font)) return;
    let note = this.fonts.get(font);
    if (note === undefined) {
      const fact = fontFact(this.file, font);
      note = { list: 'fonts', key: `${fact.name} ${fact.type} ${fact.embedded} ${fact.subset}`, fact };
      this.fonts.set(font, note);
    }
    this.note(note);
  }

  /**
   * Notes an image that fills the unit square of a matrix.
   * @returns false when it is not printed, because it is outside the page or has no size
   */
  image(
    kind: 'image' | 'mask' | 'inline',
    space: ColorSpace | null,
    [widthPx, heightPx]: Pixels,
    [a, b, c, d, e, f]: Matrix,
  ): boolean {
    if (widthPx === undefined || heightPx === undefined || !(widthPx > 0 && heightPx > 0)) return false;
    const [x, y] = [
      [e, e + a, e + c, e + a + c],
      [f, f + b, f + d, f + b + d],
    ] as const;
    const [left, bottom, right, top] = this.clip as [number, number, number, number];
    if (Math.max(...x) <= left || Math.min(...x) >= right || Math.max(...y) <= bottom || Math.min(...y) >= top)
      return false;
    const [wide, high] = [Math.hypot(a, b), Math.hypot(c, d)].map((points) => (points * this.userUnit) / 72);
    const dpi = Math.floor(Math.min(widthPx / wide!, heightPx / high!) + 1e-4);
    if (!Number.isFinite(dpi) || !Number.isFinite(wide! + high!)) return false;
    const color = space?.space ?? 'unknown';
    const key = `${kind} ${color} ${dpi} ${isPartOfDrawing(widthPx, heightPx)}`;
    this.note({ list: 'images', key, fact: { kind, color, dpi, widthPx, heightPx } });
    return true;
  }

  imageObject(image: PdfStream): void {
    if (!this.images.has(image)) this.images.set(image, this.facts.page);
  }

  /** Reads a form (ISO 32000-1, 8.10), or repeats what it has painted with the same state before. */
  form(form: PdfStream, state: GraphicsState, resources: PdfDict | undefined): void {
    const own = this.file.numbers(form.get('Matrix'));
    const matrix = own?.length === 6 ? multiplied(own as unknown as Matrix, state.matrix) : state.matrix;
    const isGroup = this.file.name(this.file.dict(form.get('Group'))?.get('S')) === 'Transparency';
    // A group is painted as a whole: its content starts without the effects that the group gets.
    if (isGroup) this.effects(state.fillEffects);
    const initial = { ...state, matrix, ...(isGroup && { fillEffects: 0, strokeEffects: 0 }) };
    const known = this.painted.get(form);
    if (known !== undefined && known.clip.join() === this.clip.join() && paintsEqually(known.state, initial)) {
      for (const note of known.notes) this.note(note);
      return;
    }
    const notes: Note[] = [];
    const seen = this.seen;
    this.recordings.push(notes);
    this.seen = new Map();
    this.nested(form, initial, resources);
    this.seen = seen;
    this.recordings.pop();
    if (notes.length <= MAX_KEPT_NOTES) this.painted.set(form, { state: initial, clip: this.clip, notes });
  }

  /**
   * Reads a tiling pattern (8.7.3) once for each page, or notes the colours of a shading (8.7.4).
   * @param color what an uncoloured pattern is painted with
   */
  private pattern(pattern: PdfDict, color: Paint, effects: number, base: Matrix): void {
    if (!this.isNew(pattern)) return;
    if (this.file.number(pattern.get('PatternType')) === 2) {
      this.shading(this.file.dict(pattern.get('Shading')), undefined);
      return;
    }
    if (!(pattern instanceof PdfStream)) return;
    const own = this.file.numbers(pattern.get('Matrix'));
    const matrix = own?.length === 6 ? multiplied(own as unknown as Matrix, base) : base;
    const isUncolored = this.file.number(pattern.get('PaintType')) === 2;
    const colors = isUncolored ? { fill: color, stroke: color } : {};
    this.nested(pattern, { ...INITIAL, ...colors, matrix, fillEffects: effects, strokeEffects: effects }, undefined);
  }

  private nested(content: PdfStream, initial: GraphicsState, resources: PdfDict | undefined): void {
    if (this.active.has(content) || this.active.size >= MAX_NESTING) return;
    this.active.add(content);
    const own = this.file.dict(content.get('Resources')) ?? resources;
    this.readContent(decodedBytes(this.file, content), own, initial);
    this.active.delete(content);
  }

  shading(shading: PdfDict | undefined, named: PdfDict | undefined): void {
    const space = this.spaces.of(shading?.get('ColorSpace'), named);
    if (space !== null) this.colorSpace(space, shadingInk(this.file, shading, space));
  }
}

/** `ABCDEF+` before the name of a subset (ISO 32000-1, 9.6.4). */
const SUBSET = /^[A-Z]{6}\+/;

/** Returns what print needs to know of a font. The glyphs of a Type 3 font are content, so it is always embedded. */
function fontFact(file: PdfFile, font: PdfDict): Omit<FileFacts['fonts'][number], 'pages'> {
  const type = file.name(font.get('Subtype')) ?? 'unknown';
  const descendant = type === 'Type0' ? file.dict(file.array(font.get('DescendantFonts'))?.at(0)) : undefined;
  const described = descendant ?? font;
  const descriptor = file.dict(described.get('FontDescriptor'));
  const named = file.name(font.get('BaseFont')) ?? file.name(font.get('Name')) ?? '';
  const isEmbedded = ['FontFile', 'FontFile2', 'FontFile3'].some(
    (key) => file.stream(descriptor?.get(key)) !== undefined,
  );
  return {
    name: named.replace(SUBSET, ''),
    type: file.name(descendant?.get('Subtype')) ?? type,
    embedded: type === 'Type3' || isEmbedded,
    subset: SUBSET.test(named),
  };
}

/** Parts of a gradient that are looked at. */
const MAX_PARTS = 64;

/** Returns the most ink of the colours that a shading goes between, or null when they are not given one by one. */
function shadingInk(file: PdfFile, shading: PdfDict | undefined, space: ColorSpace): number | null {
  const inks = colorsOf(file, shading?.get('Function')).flatMap((color) => inkPercent(space, color) ?? []);
  return inks.length === 0 ? null : Math.max(...inks);
}

/** Returns the colours at the ends of exponential functions, and of those that are stitched together (ISO 32000-1, 7.10). */
function colorsOf(file: PdfFile, object: PdfObject | undefined): number[][] {
  const read = file.dict(object);
  const parts = file.array(read?.get('Functions'));
  const functions = parts === undefined ? [read] : [...parts].slice(0, MAX_PARTS).map((part) => file.dict(part));
  return functions.flatMap((each) => ['C0', 'C1'].flatMap((end) => [file.numbers(each?.get(end)) ?? []]));
}
