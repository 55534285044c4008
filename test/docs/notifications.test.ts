import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ATTEMPT_DELAYS_MS } from '../../src/notifications/delivery';
import { NOTIFICATION_EVENTS, TEST_EVENT } from '../../src/notifications/domain/event-schemas';

const text = readFileSync(join(__dirname, '../../docs/notifications.md'), 'utf8');
const MS = { s: 1_000, min: 60_000, h: 3_600_000 } as const;

describe('docs/notifications.md', () => {
  it('lists every event and no other', () => {
    const listed = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, event]) => event);
    expect(listed).toEqual([...NOTIFICATION_EVENTS, TEST_EVENT]);
  });

  it('has the retry schedule', () => {
    const row = /^\| After \|(.*)\|$/m.exec(text)![1]!;
    const delays = [...row.matchAll(/(\d+) (s|min|h)/g)].map(([, n, unit]) => Number(n) * MS[unit as keyof typeof MS]);
    expect(delays).toEqual(ATTEMPT_DELAYS_MS);
  });
});
