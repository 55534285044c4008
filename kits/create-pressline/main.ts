#!/usr/bin/env node
/** The command of the package create-pressline: writes a folder with docker-compose.yml, what it mounts, and new secrets. */
import { cpSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Command } from 'commander';
import { newSecrets } from './secrets';

const program = new Command('create-pressline')
  .description('Writes a folder from which Docker Compose runs Pressline, with new secrets.')
  .argument('[folder]', 'a new or empty folder', 'pressline')
  .parse();
const folder = program.processedArgs[0] as string;

if (existsSync(folder) && readdirSync(folder).length > 0) {
  process.stderr.write(`${resolve(folder)} is not empty. Name a new folder.\n`);
  process.exitCode = 1;
} else {
  cpSync(join(__dirname, 'template'), folder, { recursive: true });
  const lines = Object.entries(newSecrets()).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(folder, '.env'), lines.join(''), { mode: 0o600 });
  process.stdout.write(`Pressline is in ${resolve(folder)}. Its secrets are in .env: keep a copy, no data can be read without them.

  cd ${folder}
  docker compose up --detach
  docker compose run --rm api operator alice      # prints the first key, which creates clients and partners

API http://localhost:3000, console http://localhost:3000/console, Temporal UI http://localhost:8080
`);
}
