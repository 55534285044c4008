/**
 * Pins the container images of Dockerfile and docker-compose.yml to the digests that their tags have now. `docker buildx
 * imagetools` asks the registry; no digest is ever made up. With --check, changes nothing and fails when an image has no digest.
 * Usage: node scripts/pin-images.mjs [--check] [folder]
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILES = ['Dockerfile', 'docker-compose.yml'];
/** An image of a registry. Stages of the Dockerfile and the project's own image have no tag. */
const IMAGE = /^(FROM |\s*image: )([\w./-]+:[\w.-]+)(?:@(sha256:[0-9a-f]{64}))?(?=\s|$)/gm;
const DIGEST = /^sha256:[0-9a-f]{64}$/;

const checks = process.argv.includes('--check');
const [folder = join(dirname(fileURLToPath(import.meta.url)), '..')] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--check');

function digestOf(image) {
  const answer = execFileSync(
    'docker',
    ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', image],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  ).trim();
  if (!DIGEST.test(answer)) throw new Error(`The registry gave no digest for ${image}: ${answer}`);
  return answer;
}

const texts = FILES.map((name) => [resolve(folder, name), readFileSync(resolve(folder, name), 'utf8')]);
const images = new Map();
for (const [, text] of texts)
  for (const [, , image, digest] of text.matchAll(IMAGE)) images.set(image, digest);

if (checks) {
  const loose = [...images].filter(([, digest]) => digest === undefined).map(([image]) => image);
  for (const image of loose) process.stderr.write(`${image} has no digest: run "npm run pin-images"\n`);
  process.exitCode = loose.length === 0 ? 0 : 1;
} else {
  // Every digest is looked up before a file is written.
  for (const image of images.keys()) images.set(image, digestOf(image));
  for (const [path, text] of texts)
    writeFileSync(
      path,
      text.replace(IMAGE, (_, start, image) => `${start}${image}@${images.get(image)}`),
    );
  for (const [image, digest] of images) process.stdout.write(`${image}@${digest}\n`);
}
