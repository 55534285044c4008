/** Everything that a reconciliation can find, and what it does about it. */
export const FINDINGS = {
  started: 'orders without a run: started again',
  flagged:
    'open orders whose run is gone or broken off, and which cannot go on by themselves: flagged out_of_step',
  caughtUp: 'orders whose rows were behind their run: brought in line',
  printOrdersLost: 'runs with print orders that have no rows: flagged out_of_step',
  heardAgain: 'postbacks that a run had not taken in: told again',
  tooLate: 'postbacks for a run that has ended: closed',
  unheard: 'postbacks that wait for a run that is busy or missing',
  halfBought:
    'purchases of labels begun long ago, which a dispatch may still go on with or which are being taken back',
  takenBack: 'purchases of labels that nobody can want any more: taken back',
  notTakenBack: 'labels that a carrier would not take back',
  replayed: 'given-up messages whose receiver is there after all: sent again',
  dead: 'messages that stay given up until an operator replays them',
  withoutOrder: 'runs whose order has no row',
  lingering: 'runs that go on days after their order’s end',
} as const;
export type Finding = keyof typeof FINDINGS;

/** How often each was found; a name that is absent was not. */
export type Counts = Readonly<Partial<Record<Finding, number>>>;

export function tally(...counts: readonly Counts[]): Counts {
  const sum: Partial<Record<Finding, number>> = {};
  for (const count of counts) {
    for (const [name, n] of Object.entries(count) as [Finding, number][]) {
      if (n > 0) sum[name] = (sum[name] ?? 0) + n;
    }
  }
  return sum;
}
