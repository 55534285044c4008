import { METRICS } from '../../../../src/platform/metrics/metric-table';
import { createMetrics } from '../../../../src/platform/metrics/metrics';

const lines = async (metrics: { expose(): Promise<string> }, name: string) =>
  (await metrics.expose()).split('\n').filter((line) => line.startsWith(name));

describe('metrics of a process', () => {
  test('a counter exists with 0 before it counts', async () => {
    const metrics = createMetrics();
    metrics.count('pressline_labels_total', { carrier: 'meridian', outcome: 'refused' }, 0);
    expect(await lines(metrics, 'pressline_labels_total')).toEqual([
      'pressline_labels_total{carrier="meridian",outcome="refused"} 0',
    ]);
    metrics.count('pressline_labels_total', { carrier: 'meridian', outcome: 'refused' });
    metrics.count('pressline_labels_total', { outcome: 'refused', carrier: 'meridian' });
    expect(await lines(metrics, 'pressline_labels_total')).toEqual([
      'pressline_labels_total{carrier="meridian",outcome="refused"} 2',
    ]);
  });

  test('a histogram exists with 0 observations, and keeps its other labels when one of them is observed', async () => {
    const metrics = createMetrics();
    metrics.expectObservations('pressline_job_duration_seconds', { job: 'reconcile' });
    metrics.expectObservations('pressline_job_duration_seconds', { job: 'maintenance' });
    expect(await lines(metrics, 'pressline_job_duration_seconds_count')).toEqual([
      'pressline_job_duration_seconds_count{job="reconcile"} 0',
      'pressline_job_duration_seconds_count{job="maintenance"} 0',
    ]);
    metrics.observe('pressline_job_duration_seconds', { job: 'reconcile' }, 2);
    expect(await lines(metrics, 'pressline_job_duration_seconds_count')).toEqual([
      'pressline_job_duration_seconds_count{job="reconcile"} 1',
      'pressline_job_duration_seconds_count{job="maintenance"} 0',
    ]);
    const buckets = await lines(metrics, 'pressline_job_duration_seconds_bucket{job="reconcile"');
    expect(buckets).toHaveLength(METRICS.pressline_job_duration_seconds.bounds.length + 1);
    expect(buckets).toContain('pressline_job_duration_seconds_bucket{job="reconcile",le="1"} 0');
    expect(buckets).toContain('pressline_job_duration_seconds_bucket{job="reconcile",le="5"} 1');
  });

  test('each metric has one TYPE and one HELP line', async () => {
    const metrics = createMetrics();
    metrics.expectObservations('pressline_job_duration_seconds', { job: 'maintenance' });
    metrics.observe('pressline_job_duration_seconds', { job: 'reconcile' }, 2);
    const comments = await lines(metrics, '# ');
    expect(comments).toEqual([...new Set(comments)]);
    expect(comments.filter((line) => line.includes('pressline_job_duration_seconds'))).toEqual([
      expect.stringContaining('# HELP'),
      '# UNIT pressline_job_duration_seconds s',
      '# TYPE pressline_job_duration_seconds histogram',
    ]);
  });

  test('a source that fails is reported, and the other metrics are exposed', async () => {
    const errors: unknown[] = [];
    const metrics = createMetrics((error) => errors.push(error));
    metrics.addGauges(() => Promise.reject(new Error('no database')));
    metrics.addGauges(() => [{ name: 'nodejs_heap_used_bytes', labels: {}, value: 7 }]);
    metrics.append(() => Promise.reject(new Error('no core')));
    expect(await lines(metrics, 'nodejs_heap_used_bytes')).toEqual(['nodejs_heap_used_bytes 7']);
    expect(errors.map((error) => (error as Error).message)).toEqual(['no database', 'no core']);
  });
});
