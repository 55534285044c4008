import type { Outbound } from '../outbound';
import type { PrintAsset } from './print-order';

/**
 * Downloads every print file and compares its content with the format that the print order states.
 * @returns the number of files, or the fault of the first bad one
 */
export async function checkAssets(
  outbound: Outbound,
  assets: readonly PrintAsset[],
): Promise<{ readonly fetched: number } | { readonly fault: string }> {
  for (const asset of assets) {
    const { status, head, bytes } = await outbound.download(asset.url);
    if (status !== 200) return { fault: `The print file responded with ${status}` };
    if (bytes === 0 || formatOf(head) !== asset.format) return { fault: `The print file is not a ${asset.format}` };
  }
  return { fetched: assets.length };
}

/** Returns the format that the first bytes of a file show. */
export function formatOf(head: Buffer): 'pdf' | 'png' | 'jpeg' | 'unknown' {
  if (head.toString('latin1', 0, 5) === '%PDF-') return 'pdf';
  if (head.toString('latin1', 0, 8) === '\x89PNG\r\n\x1a\n') return 'png';
  if (head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff) return 'jpeg';
  return 'unknown';
}
