import type { Response } from 'supertest';

/** Parser for supertest that returns the response body as a Buffer. Use it with `.buffer(true).parse(binaryBody)`. */
export function binaryBody(response: Response, done: (error: Error | null, body: Buffer) => void): void {
  const chunks: Buffer[] = [];
  (response as unknown as NodeJS.ReadableStream)
    .on('data', (chunk: Buffer) => chunks.push(chunk))
    .on('end', () => done(null, Buffer.concat(chunks)));
}
