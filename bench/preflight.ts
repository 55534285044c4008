import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createCanvas } from '@napi-rs/canvas';
import PDFDocument from 'pdfkit';
import type { FileFacts } from '../packages/file-reader/facts';
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

/** Returns a JPEG of half a megabyte. */
function noise(): Buffer {
  const canvas = createCanvas(1_240, 1_754);
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(canvas.width, canvas.height);
  pixels.data.set(randomBytes(pixels.data.length).map((value, at) => (at % 4 === 3 ? 255 : value >> 2)));
  context.putImageData(pixels, 0, 0);
  return canvas.toBuffer('image/jpeg', 76);
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
  readonly facts: FileFacts;
}

/** Inspects a file in a new process, again and again until its CPU time can be told, after a first time that loads code. */
async function inspect(path: string, warm: string): Promise<Measured> {
  return await withProcess(async (inspection, pid) => {
    const once = async (file: string) => {
      const job = { path: file, mimeType: 'application/pdf' } as const;
      const result = await inspection.measure(job);
      if (!result.ok || !result.facts.complete) throw new Error(result.ok ? result.facts.problem! : result.reason);
      const { unrendered } = await inspection.render(job);
      if (unrendered !== null) throw new Error(`the file is not rendered: ${unrendered}`);
      return result.facts;
    };
    await once(warm);
    const before = await cpuOfProcess(pid);
    let facts: FileFacts;
    let times = 0;
    let used = 0;
    do {
      facts = await once(path);
      times += 1;
      used = (await cpuOfProcess(pid)) - before;
    } while (used < PRECISE_MS);
    return { cpuMs: used / times, peakMib: (await memoryOf(pid, 'VmHWM')) / MIB, facts };
  });
}

/** Measures CPU time and memory of the process that inspects print files: properties, facts and previews. */
runBenchmark({
  name: 'preflight',
  options: { rounds: [5, 'inspections of each file, each in a new process'], pages: [200, 'pages of the book'] },
  measure: ({ rounds, pages }) =>
    withBenchFolder(async (folder) => {
      const stored = async (name: string, bytes: Buffer) => {
        const path = join(folder, `${name}.pdf`);
        await writeFile(path, bytes);
        return { path, megabytes: Math.round(bytes.length / 1e6) };
      };
      const one = await stored('one', await poster());
      const files = {
        'poster of one page': one,
        [`book of ${pages / 10} pages`]: await stored('short', await book(pages / 10)),
        [`book of ${pages} pages`]: await stored('long', await book(pages)),
      };
      const rows: Row[] = [];
      for (const [name, { path, megabytes }] of Object.entries(files)) {
        const measured: Measured[] = [];
        for (let round = 0; round < rounds; round += 1) measured.push(await inspect(path, one.path));
        const what = `${name}, ${megabytes} MB`;
        const target = { value: 3_000, atLeast: false };
        const cpu = spreadOf(measured.map(({ cpuMs }) => cpuMs));
        const peak = spreadOf(measured.map(({ peakMib }) => peakMib));
        rows.push({ what: `${what}: CPU`, unit: 'ms', value: cpu, ...(name.includes(`${pages}`) && { target }) });
        rows.push({ what: `${what}: peak memory of the process`, unit: 'MiB', value: peak });
      }
      return rows;
    }),
});
