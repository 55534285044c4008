import { gunzipSync, gzipSync } from 'node:zlib';
import type { AsyncBuffer } from 'hyparquet';
import type { BasicType } from 'hyparquet-writer';

/** A column of a Parquet file. Every column may be null. */
export interface Column {
  readonly name: string;
  readonly type: Extract<BasicType, 'STRING' | 'INT32' | 'INT64' | 'TIMESTAMP' | 'BOOLEAN' | 'BYTE_ARRAY'>;
  readonly doc: string;
}

/** Returns a value of Postgres' JSON as the writer takes it. */
function parquetValue(value: unknown, type: Column['type']): unknown {
  if (value === null || value === undefined) return null;
  switch (type) {
    case 'STRING':
      return String(value);
    case 'INT64':
      return BigInt(value as number);
    case 'TIMESTAMP':
      return new Date(value as string);
    default:
      return value;
  }
}

// Both libraries are loaded by the worker's and the API's first use: most processes never read the archive.
const writer = () => import('hyparquet-writer');
const reader = () => import('hyparquet');

/** Returns rows as the bytes of a Parquet file, compressed with gzip. */
export async function parquetOf(
  columns: readonly Column[],
  rows: readonly Readonly<Record<string, unknown>>[],
  rowGroupSize = 100_000,
): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await writer();
  const buffer = parquetWriteBuffer({
    columnData: columns.map(({ name, type }) => ({
      name,
      type,
      nullable: true,
      data: rows.map((row) => parquetValue(row[name], type)),
      ...(type === 'BYTE_ARRAY' ? { statistics: false, encoding: 'PLAIN' as const } : {}),
    })),
    codec: 'GZIP',
    compressors: { GZIP: (bytes) => gzipSync(bytes) },
    rowGroupSize,
  });
  return new Uint8Array(buffer);
}

/** Reads rows of a Parquet file. Timestamps are Date, INT64 is bigint. @param range first row, and the row after the last one */
export async function readParquet<T>(
  file: AsyncBuffer | ArrayBuffer,
  range: { readonly rowStart?: number; readonly rowEnd?: number } = {},
): Promise<T[]> {
  const { parquetReadObjects } = await reader();
  const rows = await parquetReadObjects({
    file,
    ...range,
    utf8: false,
    compressors: { GZIP: (bytes) => gunzipSync(bytes) },
  });
  return rows as T[];
}
