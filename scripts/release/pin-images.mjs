/**
 * Pins what comes from a registry by tag: container images of Dockerfile and docker-compose.yml to the digests of their tags, and
 * actions of the workflows to the commits of theirs. `docker buildx imagetools` and `git ls-remote` look them up; none is ever made
 * up. With --check, changes nothing and fails when a reference is not pinned. Usage: node scripts/release/pin-images.mjs [--check] [folder]
 */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WORKFLOWS = '.github/workflows';
const checks = process.argv.includes('--check');
const [folder = join(dirname(fileURLToPath(import.meta.url)), '../..')] = process.argv
  .slice(2)
  .filter((argument) => argument !== '--check');

/** Returns the first group of `pattern` in the last line of a command's output. */
function lookUp(pattern, command, ...args) {
  const output = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const digest = pattern.exec(output.trim().split('\n').at(-1))?.[1];
  if (digest === undefined) throw new Error(`${command} gave no digest for ${args.at(-1)}: ${output}`);
  return digest;
}

const IMAGES = {
  files: ['Dockerfile', 'docker-compose.yml'],
  // Stages of the Dockerfile and the project's own image have no tag.
  pattern: /^(?<start>FROM |\s*image: )(?<name>[\w./-]+):(?<tag>[\w.-]+)(?:@(?<digest>sha256:[0-9a-f]{64}))?(?=\s|$)/gm,
  pinned: ({ start, name, tag }, digest) => `${start}${name}:${tag}@${digest}`,
  digestOf: ({ name, tag }) =>
    lookUp(
      /^(sha256:[0-9a-f]{64})$/,
      'docker',
      ...['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', `${name}:${tag}`],
    ),
};

/** A pinned action has its tag in a comment, which Renovate reads too. */
const ACTIONS = {
  files: readdirSync(join(folder, WORKFLOWS)).map((name) => join(WORKFLOWS, name)),
  pattern: /^(?<start>\s*(?:- )?uses: )(?<name>[\w-]+\/[\w-]+)@(?:(?<digest>[0-9a-f]{40}) # )?(?<tag>v[\d.]+)$/gm,
  pinned: ({ start, name, tag }, digest) => `${start}${name}@${digest} # ${tag}`,
  // The commit of an annotated tag is the last line. Its name ends with ^{}.
  digestOf: ({ name, tag }) =>
    lookUp(
      /^([0-9a-f]{40})\s/,
      ...['git', 'ls-remote', `https://github.com/${name}`, `refs/tags/${tag}`, `refs/tags/${tag}^{}`],
    ),
};

const files = [IMAGES, ACTIONS].flatMap((kind) =>
  kind.files.map((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return { ...kind, file, text, references: [...text.matchAll(kind.pattern)].map(({ groups }) => groups) };
  }),
);
const keyOf = ({ name, tag }) => `${name} ${tag}`;

if (checks) {
  const all = files.flatMap(({ references }) => references);
  const loose = new Set(all.filter(({ digest }) => digest === undefined).map(keyOf));
  for (const key of loose) process.stderr.write(`${key} has no digest: run "npm run release -- pin-images"\n`);
  process.exitCode = loose.size === 0 ? 0 : 1;
} else {
  // Every digest is looked up before a file is written.
  const digests = new Map();
  for (const { references, digestOf } of files)
    for (const reference of references)
      if (!digests.has(keyOf(reference))) digests.set(keyOf(reference), digestOf(reference));
  for (const { file, text, pattern, pinned } of files)
    writeFileSync(
      join(folder, file),
      text.replace(pattern, (...match) => pinned(match.at(-1), digests.get(keyOf(match.at(-1))))),
    );
  for (const [key, digest] of digests) process.stdout.write(`${key} ${digest}\n`);
}
