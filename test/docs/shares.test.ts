import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { FAILURE_LIMITS } from '../../api/http/request-limits';
import { notificationLane } from '../../src/notifications/delivery';
import { projectRoot } from '../../src/platform/project-root';
import { page } from '../support/pages';
import { SHARES } from '../support/shares';

const fileOf = (path: string) => normalize(`test/${path}.test.ts`);

test('the page of shares has the table of shares', () => {
  const rows = page('decisions/005-shares')
    .split('| Resource |')[1]!
    .split('\n\n')[0]!
    .split('\n')
    .slice(2)
    .map((line) => line.split('|').slice(1, -1))
    .map((cells) => cells.map((cell) => cell.trim()));
  expect(rows).toEqual(
    SHARES.map(({ resource, unit, share, test: [file] }) => [resource, unit, share, `\`${fileOf(file)}\``]),
  );
});

test.each(SHARES.map(({ resource, test: [file, name] }) => [resource, fileOf(file), name]))(
  '%s has a test that fills it',
  (_resource, file, name) => {
    const text = readFileSync(join(projectRoot(), file), 'utf8');
    expect(
      text.split('\n').filter((line) => /^\s*((test|it)\(|')|^\]\)\(/.test(line) && line.includes(`'${name}`)),
    ).toHaveLength(1);
  },
);

test('the table has the numbers of the engine', () => {
  const share = (resource: string) => SHARES.find((row) => row.resource === resource)!;
  expect(share('Postbacks').share).toContain(FAILURE_LIMITS.postback.limit.toLocaleString('en'));
  expect(share('Dispatch requests').share).toContain(FAILURE_LIMITS.dispatch.limit.toLocaleString('en'));
  const lane = notificationLane({} as never);
  expect(share('Outbox lane of notifications').unit).toContain(`, ${lane.concurrency}`);
  expect(share('Outbox lane of notifications').share).toContain(`${lane.perKey} for each endpoint`);
});
