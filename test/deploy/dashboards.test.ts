import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { METRICS, type MetricName } from '../../src/platform/metrics/metric-table';
import { projectRoot } from '../../src/platform/project-root';

/** Every query of the dashboards and alerts uses metrics and labels that exist. `npm run check -- observability` runs them. */

const root = projectRoot();
const dashboards = join(root, 'deploy/grafana');

interface Query {
  readonly name: string;
  readonly expr: string;
}

const panelQueries: Query[] = readdirSync(dashboards).flatMap((file) => {
  const { panels } = JSON.parse(readFileSync(join(dashboards, file), 'utf8')) as {
    panels: { title: string; targets: { expr: string }[] }[];
  };
  return panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ name: `${file}: ${title}`, expr })));
});
interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    readonly runbook_url: string;
  };
}
const rules = parse(readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8')) as {
  groups: { rules: Alert[] }[];
};
const alerts = rules.groups.flatMap((group) => group.rules);
const alertQueries: Query[] = alerts.map(({ alert, expr }) => ({ name: alert, expr }));

/** Metrics of the Temporal SDK that queries use. docs/operation/metrics.md names where they are described. */
const SDK_METRIC = /^temporal_[a-z_]+$/;
/** Labels of every series that Prometheus adds, of buckets, and of the SDK's metrics. */
const OTHER_LABELS = ['instance', 'le', 'task_queue', 'worker_type', 'poller_type', 'activity_type', 'operation'];

/** Returns the names of metrics in an expression, and the labels that each selector and `by` clause names. */
function used(expr: string) {
  const metrics = [...expr.matchAll(/\b((?:pressline|http|nodejs|process|temporal)_[a-z_]+)/g)].map(([, n]) => n!);
  const matched = [...expr.matchAll(/\b((?:pressline|http|nodejs|process)_[a-z_]+)\{([^}]*)\}/g)].map(
    ([, name, selector]) => ({
      name: name!,
      labels: [...selector!.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label]) => label!),
    }),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list]) => list!.split(',').map((l) => l.trim()));
  // Label names look like metrics when they begin with http_.
  const labels = new Set([...grouped, ...matched.flatMap((each) => each.labels)]);
  return { metrics: metrics.filter((name) => !labels.has(name)), matched, grouped };
}

const metricOf = (name: string) => (name in METRICS ? name : name.replace(/_(bucket|count|sum)$/, '')) as MetricName;

test.each([...panelQueries, ...alertQueries])('$name uses metrics and labels that exist', ({ expr }) => {
  const { metrics, matched, grouped } = used(expr);
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((name) => !(metricOf(name) in METRICS) && !SDK_METRIC.test(name))).toEqual([]);
  for (const { name, labels } of matched)
    expect(labels.filter((label) => !(METRICS[metricOf(name)].labels as readonly string[]).includes(label))).toEqual(
      [],
    );
  const own = metrics.flatMap((name) => (metricOf(name) in METRICS ? METRICS[metricOf(name)].labels : []));
  expect(grouped.filter((label) => !own.includes(label as never) && !OTHER_LABELS.includes(label))).toEqual([]);
});

test.each(alerts)('$alert has a summary, likely causes and a section of a how-to guide', ({ annotations }) => {
  expect(annotations.summary).toMatch(/\.$/);
  expect(annotations.description).toMatch(/^Likely causes?: /);
  const [file, anchor] = annotations.runbook_url.replace('{{ $labels.reason }}', 'partner_error').split('#');
  expect(existsSync(join(root, file!))).toBe(true);
  const headings = [...readFileSync(join(root, file!), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );
  expect(headings).toContain(anchor);
});

test('every alert has a unit test in which it fires', () => {
  const { tests } = parse(readFileSync(join(root, 'deploy/prometheus/alerts.test.yml'), 'utf8')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts: object[] }[] }[];
  };
  const fired = tests.flatMap(({ alert_rule_test }) =>
    alert_rule_test.filter(({ exp_alerts }) => exp_alerts.length > 0).map(({ alertname }) => alertname),
  );
  expect(fired.sort()).toEqual(alerts.map(({ alert }) => alert).sort());
});
