import { CurrentTask } from '../../workflows/workflow-task';

const at = (historyLength: number, clock: number, endsLocalActivity = false) => ({
  historyLength,
  clock,
  endsLocalActivity,
});

test('activations of one length and clock belong to one task, and so do results of its local activities', () => {
  const task = new CurrentTask();
  expect(task.begins(at(3, 1_000))).toBe(true);
  expect(task.begins(at(3, 1_000))).toBe(false);
  expect(task.begins(at(3, 1_400, true))).toBe(false);
  expect(task.begins(at(3, 1_400))).toBe(false);
  expect(task.startedAt).toBe(1_000);
});

test('a longer history is another task', () => {
  const task = new CurrentTask();
  task.begins(at(3, 1_000));
  expect(task.begins(at(7, 1_000))).toBe(true);
  expect(task.begins(at(11, 2_000, true))).toBe(true);
  expect(task.startedAt).toBe(2_000);
});

test('the next attempt of a lost task is another task, although the history has no new event', () => {
  const task = new CurrentTask();
  task.begins(at(3, 1_000));
  expect(task.begins(at(3, 11_000))).toBe(true);
  expect(task.startedAt).toBe(11_000);
});
