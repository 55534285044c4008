/** One sample of the Prometheus text format. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Scrape {
  readonly samples: readonly Sample[];
  /** Names in TYPE lines, with the type. */
  readonly types: ReadonlyMap<string, string>;
  /** Returns the sum of the samples with this name and these labels. Undefined when there is none. */
  value(name: string, labels?: Readonly<Record<string, string>>): number | undefined;
}

/** Parses the Prometheus text format. @throws Error for a line that is not valid */
export function parseMetrics(text: string): Scrape {
  const samples: Sample[] = [];
  const types = new Map<string, string>();
  for (const line of text.split('\n')) {
    const [, typed, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (typed !== undefined) types.set(typed, type!);
    if (line === '' || line.startsWith('#')) continue;
    const [, name, , labels = '', value] = /^([a-zA-Z_:][\w:]*)(\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) throw new Error(`not a line of the Prometheus text format: ${line}`);
    const pairs = [...labels.matchAll(/([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g)];
    samples.push({
      name,
      labels: Object.fromEntries(pairs.map(([, k, v]) => [k!, v!])),
      value: Number(value),
    });
  }
  return {
    samples,
    types,
    value(name, labels = {}) {
      const found = samples.filter(
        (sample) =>
          sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value),
      );
      return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
    },
  };
}

/** Reads the metrics of a process. */
export async function scrape(metricsUrl: string): Promise<Scrape> {
  const response = await fetch(metricsUrl);
  if (!response.ok) throw new Error(`${metricsUrl} responded with ${response.status}`);
  return parseMetrics(await response.text());
}
