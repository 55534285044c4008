import { execFile, execFileSync } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { FileFacts, PageBoxes } from '../../facts';
import { measurePdf } from '../../pdf/measure-pdf';
import { CORPUS } from './corpus';
import type { CorpusFile, PopplerPart } from './corpus-file';

/** The measurement agrees with poppler, another implementation of PDF, about every file of the corpus. */

const folder = mkdtempSync(join(tmpdir(), 'pressline-poppler-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Reads lines of a file's path, its number of pages, and tools. A tool that fails leaves no output. */
const RUN_TOOLS = `while read -r path pages tools; do for tool in $tools; do
  case $tool in
    pdfinfo) options="-box -f 1 -l $pages" ;;
    pdfimages) options=-list ;;
    *) options= ;;
  esac
  $tool $options "$path" >"$path.$tool" 2>"$path.error" || rm "$path.$tool"
done; done`;

/**
 * Runs poppler's tools on the files of the corpus, all from one shell: each process that a jest worker starts costs it 20 ms
 * of CPU time, because its memory is large.
 */
async function runPoppler(): Promise<void> {
  const lines: string[] = [];
  for (const [name, file] of cases) {
    await writeFile(pathOf(name), await file.make());
    const tools = agrees(file, 'file')
      ? ['pdfinfo', agrees(file, 'images') ? 'pdfimages' : '', agrees(file, 'fonts') ? 'pdffonts' : '']
      : ['pdfinfo'];
    lines.push([pathOf(name), file.pageCount ?? 1, ...tools].join(' '));
  }
  const shell = promisify(execFile)('sh', ['-c', RUN_TOOLS]);
  shell.child.stdin!.end(`${lines.join('\n')}\n`);
  await shell;
}

const pathOf = (name: string) => join(folder, `${name.replaceAll(/[^a-z0-9]/gi, '-')}.pdf`);

const agrees = ({ poppler }: CorpusFile, about: PopplerPart) => !poppler?.ignores.includes(about);

/** Returns the lines that a tool has written about a file. @throws Error when it failed */
async function outputOf(tool: string, path: string): Promise<string[]> {
  return (await readFile(`${path}.${tool}`, 'utf8')).split('\n');
}

/** Pages of an entry. The corpus has no entry with more ranges than are kept. */
const numbersOf = ({ ranges }: FileFacts['boxes'][number]['pages']) =>
  ranges.flatMap(({ from, to }) => Array.from({ length: to - from + 1 }, (_, index) => from + index));

/** Lines as `pdfinfo -box` writes them: a box that is missing is the crop box. */
function boxLines(boxes: readonly PageBoxes[]): Record<string, string> {
  const lines: Record<string, string> = {};
  for (const { pages, mediaBox, cropBox, bleedBox, trimBox, rotation } of boxes) {
    for (const page of numbersOf(pages)) {
      const box = (name: string, corners: readonly number[]) => {
        lines[`${page} ${name}`] = corners.map((corner) => corner.toFixed(1)).join(' ');
      };
      box('MediaBox', mediaBox);
      box('CropBox', cropBox);
      box('BleedBox', bleedBox ?? cropBox);
      box('TrimBox', trimBox ?? cropBox);
      lines[`${page} rot`] = String(rotation);
    }
  }
  return lines;
}

async function popplerInfo(path: string) {
  const boxes: Record<string, string> = {};
  const info: Record<string, string> = {};
  for (const line of await outputOf('pdfinfo', path)) {
    const box = /^Page +(\d+) (MediaBox|CropBox|BleedBox|TrimBox|rot): +(.*)$/.exec(line);
    const entry = /^(JavaScript|Encrypted|Form): +(\w+)/.exec(line);
    if (entry !== null) info[entry[1]!] = entry[2]!;
    if (box === null) continue;
    const [, page, name, values] = box;
    const numbers = values!.split(/ +/).map(Number);
    boxes[`${page} ${name}`] = name === 'rot' ? String(numbers[0]) : numbers.map((value) => value.toFixed(1)).join(' ');
  }
  return { boxes, info };
}

const COLORS: Readonly<Record<string, string>> = {
  DeviceGray: 'gray',
  DeviceRGB: 'rgb',
  DeviceCMYK: 'cmyk',
  Lab: 'lab',
  CalRGB: 'rgb',
  ICCBased: 'icc',
  Separation: 'sep',
  DeviceN: 'devn',
};

/** Placed images by kind and size. poppler lists each page's images once for each place. */
async function popplerImages(path: string) {
  const [, , ...rows] = await outputOf('pdfimages', path);
  return rows
    .map((row) => row.trim().split(/ +/))
    .filter(([, , type]) => type === 'image' || type === 'stencil')
    .map((cells) => {
      const [page, , type, width, height, color] = cells;
      const ppi = cells.slice(-4, -2).map(Number);
      return { page: Number(page), type, width: Number(width), height: Number(height), color, ppi: Math.min(...ppi) };
    });
}

async function popplerFonts(path: string) {
  const [, dashes, ...rows] = await outputOf('pdffonts', path);
  const starts = [...dashes!.matchAll(/-+/g)].map(({ index }) => index);
  return rows
    .filter((row) => row !== '')
    .map((row) => {
      const cell = (column: number) => row.slice(starts[column], starts[column + 1]).trim();
      return { name: cell(0), type: cell(1), embedded: cell(3) === 'yes', subset: cell(4) === 'yes' };
    });
}

const FONT_TYPES: Readonly<Record<string, string>> = {
  Type1: 'Type 1',
  TrueType: 'TrueType',
  Type3: 'Type 3',
  CIDFontType0: 'CID Type 0',
  CIDFontType2: 'CID TrueType',
};

async function compare(path: string, file: CorpusFile, facts: FileFacts): Promise<void> {
  if (!agrees(file, 'file')) {
    await expect(outputOf('pdfinfo', path)).rejects.toThrow('ENOENT');
    return;
  }
  const { boxes, info } = await popplerInfo(path);
  if (agrees(file, 'boxes')) expect(boxes).toEqual(boxLines(facts.boxes));
  const { encrypted, javaScript, formFields, xfa } = facts.pdf!;
  expect(info.Encrypted === 'yes').toBe(encrypted);
  if (agrees(file, 'form')) expect(info.Form !== 'none').toBe(formFields > 0 || xfa);
  if (agrees(file, 'scripts')) expect(info.JavaScript === 'yes').toBe(javaScript);
  if (agrees(file, 'images')) {
    const listed = await popplerImages(path);
    expect(listed.length).toBe(facts.images.reduce((sum, { count }) => sum + count, 0));
    for (const { page, type, width, height, color, ppi } of listed) {
      const same = facts.images.filter(
        (image) =>
          numbersOf(image.pages).includes(page) &&
          (type === 'stencil') === (image.kind === 'mask') &&
          image.widthPx === width &&
          image.heightPx === height &&
          // poppler rounds, and has no name for the colours of stencils, indexed and JPEG 2000 images.
          Math.abs(image.dpi - ppi) <= 1 &&
          (['-', 'index'].includes(color!) || COLORS[image.color] === color || image.color === 'JPXDecode'),
      );
      expect({ page, type, width, height, color, ppi, found: same.length > 0 }).toMatchObject({ found: true });
    }
  }
  if (agrees(file, 'fonts')) {
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    const fonts = facts.fonts.map(({ name, type, embedded, subset }) => ({
      name: type === 'Type3' ? '' : name,
      type: FONT_TYPES[type],
      embedded,
      subset,
    }));
    const listed = await popplerFonts(path);
    const comparable = listed.map(({ name, type, ...rest }) => ({
      // Fonts of Type 3 need no name.
      name: type === 'Type 3' ? '' : name.replace(/^[A-Z]{6}\+/, ''),
      type: type.replace(/ \(OT\)$|C$/, ''),
      ...rest,
    }));
    expect(comparable.sort(byName)).toEqual(fonts.sort(byName));
  }
}

function isInstalled(): boolean {
  try {
    execFileSync('pdfinfo', ['-v'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

// poppler-utils is a package of Debian, and `.ci/run` installs it. Elsewhere the corpus has its own expectations.
const cases = Object.entries(CORPUS);
if (!isInstalled()) test.skip('poppler agrees about the corpus (poppler-utils is not installed: no pdfinfo)', () => {});
else
  describe('poppler agrees', () => {
    beforeAll(runPoppler);

    test.each(cases)('about %s', async (name, file) => {
      const path = pathOf(name);
      await compare(path, file, await measurePdf(await readFile(path), file.pageCount ?? 1));
    });
  });
