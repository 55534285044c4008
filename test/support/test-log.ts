import pino from 'pino';

const level = process.env.TEST_LOG;

/**
 * The log of servers that tests start: lines at the level TEST_LOG. Without it, the causes of unexpected exceptions, so that a test
 * that gets 500 shows why.
 */
export const testLog = pino(
  { level: level ?? 'error' },
  {
    write(line: string) {
      if (level !== undefined) process.stderr.write(line);
      else if (line.includes('"fingerprint":')) process.stderr.write(`${JSON.parse(line).err.stack}\n`);
    },
  },
);
