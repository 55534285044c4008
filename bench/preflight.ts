import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import PDFDocument from 'pdfkit';
import type { PrintFileType } from '../packages/file-reader/file-types';
import { type InspectionProcess, startInspectionProcess } from '../packages/file-reader/inspection-process';
import { printPdf } from '../sandbox/files/print-pdf';
import { withBenchFolder } from './support/bench-folder';
import { runBenchmark } from './support/benchmark';
import { cpuOfProcess } from './support/processes/process-cpu';
import { type Row, spreadOf } from './support/report';

const MIB = 1024 * 1024;
/** The CPU time of a process has a precision of 10 ms. */
const PRECISE_MS = 1_000;
const LIMITS = { stepTimeoutMs: 60_000, renderCpuMs: 60_000, memoryBytes: 800 * MIB, folder: tmpdir() };

const poster = () => printPdf({ title: 'Evening hills', widthMm: 210, heightMm: 297, bleedMm: 3, pages: 1, seed: 0 });

/** Returns a book with a different JPEG of half a megabyte, and a text, on each page. */
async function book(pages: number): Promise<Buffer> {
  const photo = noise();
  const pdf = new PDFDocument({ size: 'A4', margin: 40, autoFirstPage: false });
  for (let page = 1; page <= pages; page += 1) {
    pdf.addPage().image(withComment(photo, randomBytes(16)), 0, 0, { width: 595, height: 842 });
    pdf.fontSize(9).text('Once upon a time, a printer read a page. '.repeat(50), { width: 400 });
  }
  pdf.end();
  return await buffer(pdf);
}

/** Returns a JPEG or PNG: a JPEG of this size has half a megabyte. */
function noise(type: 'image/jpeg' | 'image/png' = 'image/jpeg', width = 1_240, height = 1_754): Buffer {
  const canvas = createCanvas(width, height);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(canvas.width, canvas.height);
  pixels.data.set(randomBytes(pixels.data.length).map((value, at) => (at % 4 === 3 ? 255 : value >> 2)));
  context.putImageData(pixels, 0, 0);
  return type === 'image/jpeg' ? canvas.toBuffer(type, 76) : canvas.toBuffer(type);
}

/** Returns a JPEG with a comment segment, so that no two pages have the same image. */
function withComment(jpeg: Buffer, text: Buffer): Buffer {
  const head = Buffer.from([0xff, 0xfe, 0, 0]);
  head.writeUInt16BE(text.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, text, jpeg.subarray(2)]);
}

/** Returns the number of a field of /proc/<pid>/status, in bytes. */
async function memoryOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
}

/** Runs `measure` with a new process and its id. */
async function withProcess<T>(measure: (process: InspectionProcess, pid: number) => Promise<T>): Promise<T> {
  const inspection = await startInspectionProcess(LIMITS);
  try {
    const children = await readFile(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8');
    return await measure(inspection, Number(children.trim().split(' ').at(-1)));
  } finally {
    await inspection.end();
  }
}

interface Measured {
  readonly cpuMs: number;
  readonly peakMib: number;
}

interface StoredFile {
  readonly path: string;
  readonly mimeType: PrintFileType;
}

/**
 * Inspects files in a new process, again and again until their CPU time can be told, after a first time that loads code. Images
 * are only decoded.
 */
async function inspect(files: readonly StoredFile[], warm: StoredFile): Promise<Measured> {
  return await withProcess(async (inspection, pid) => {
    const once = async (file: StoredFile) => {
      const result = await inspection.measure(file);
      if (!result.ok || !result.facts.complete) throw new Error(result.ok ? result.facts.problem! : result.reason);
      if (file.mimeType !== 'application/pdf') return;
      const { unrendered } = await inspection.render(file, null);
      if (unrendered !== null) throw new Error(`the file is not rendered: ${unrendered}`);
    };
    for (const file of [warm, ...files]) await once(file);
    const before = await cpuOfProcess(pid);
    let times = 0;
    let used = 0;
    do {
      for (const file of files) await once(file);
      times += 1;
      used = (await cpuOfProcess(pid)) - before;
    } while (used < PRECISE_MS);
    return { cpuMs: used / times, peakMib: (await memoryOf(pid, 'VmHWM')) / MIB };
  });
}

/** Measures CPU time and memory of the process that inspects print files: properties, facts and previews. */
runBenchmark({
  name: 'preflight',
  options: { rounds: [5, 'inspections of each file, each in a new process'], pages: [200, 'pages of the book'] },
  measure: ({ rounds, pages }) =>
    withBenchFolder(async (folder) => {
      const stored = async (name: string, bytes: Buffer, mimeType: PrintFileType = 'application/pdf') => {
        const path = join(folder, name);
        await writeFile(path, bytes);
        return { path, mimeType, megabytes: Math.round(bytes.length / 1e6) };
      };
      const one = await stored('one', await poster());
      const files = {
        'poster of one page': [one],
        [`book of ${pages / 10} pages`]: [await stored('short', await book(pages / 10))],
        [`book of ${pages} pages`]: [await stored('long', await book(pages))],
        'JPEG and PNG of 1 megapixel': [
          await stored('jpeg', noise('image/jpeg', 877, 1_240), 'image/jpeg'),
          await stored('png', noise('image/png', 877, 1_240), 'image/png'),
        ],
      };
      const targets: Readonly<Record<string, number>> = {
        [`book of ${pages} pages`]: 3_000,
        'JPEG and PNG of 1 megapixel': 100,
      };
      const rows: Row[] = [];
      for (const [name, of] of Object.entries(files)) {
        const measured: Measured[] = [];
        for (let round = 0; round < rounds; round += 1) measured.push(await inspect(of, one));
        const what = `${name}, ${of.reduce((sum, { megabytes }) => sum + megabytes, 0)} MB`;
        const target = targets[name];
        const cpu = spreadOf(measured.map(({ cpuMs }) => cpuMs));
        const peak = spreadOf(measured.map(({ peakMib }) => peakMib));
        rows.push({
          what: `${what}: CPU`,
          unit: 'ms',
          value: cpu,
          ...(target !== undefined && { target: { value: target, atLeast: false } }),
        });
        rows.push({ what: `${what}: peak memory of the process`, unit: 'MiB', value: peak });
      }
      return rows;
    }),
});
