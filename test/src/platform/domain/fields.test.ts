import { day, moment } from '../../../../src/platform/domain/fields';

describe('dates and times that Postgres and Date can both represent', () => {
  test.each(['2026-01-05', '1900-01-01', '2024-02-29', '9999-12-31'])('%s is a day', (text) => {
    expect(day.safeParse(text).success).toBe(true);
  });

  test.each(['0000-01-01', '0001-01-01', '1899-12-31', '2026-02-29', '2026-1-5', '10000-01-01', ''])(
    '%p is none',
    (text) => {
      expect(day.safeParse(text).success).toBe(false);
    },
  );

  test.each(['2026-01-05T10:00:00Z', '2026-01-05T10:00:00.5+14:00', '9999-12-31T23:59:59Z'])(
    '%s is a moment',
    (text) => {
      expect(moment().safeParse(text).success).toBe(true);
    },
  );

  test.each([
    '0000-01-01T00:00:00Z',
    '1900-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-00:01',
    '2026-02-30T00:00:00Z',
    '2026-01-05',
    '2026-01-05T10:00:00',
  ])('%s is none', (text) => {
    expect(moment().safeParse(text).success).toBe(false);
  });

  test('a time without an offset is UTC where that is allowed', () => {
    expect(moment({ local: true }).safeParse('2026-01-05T10:00:00').success).toBe(true);
    expect(moment({ local: true }).safeParse('0000-01-05T10:00:00').success).toBe(false);
  });
});
