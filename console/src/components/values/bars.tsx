import { Stack, Text } from '@mantine/core';
import * as texts from '../../texts';
import type { Tone } from '../../texts/names';
import styles from './charts.module.css';

interface Bar {
  readonly key: string;
  readonly value: number;
  /** What pointing at the bar says. */
  readonly title: string;
}

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

/** Height of the plot in units of its view box. */
const HEIGHT = 38;

/**
 * A chart of bars under a line with its numbers. Bars of negative values hang from the axis. A line shows the values of the period
 * before, of as many bars.
 */
export function Bars(props: {
  readonly label: string;
  readonly numbers: string;
  readonly bars: readonly Bar[];
  readonly before?: readonly number[] | undefined;
  readonly tone: Tone;
}) {
  const { label, numbers, bars, before = [], tone } = props;
  const values = bars.map(({ value }) => value);
  const most = Math.max(0, ...values, ...before);
  const least = Math.min(0, ...values, ...before);
  const scale = HEIGHT / (most - least || 1);
  const axis = 1.5 + HEIGHT + least * scale;
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {numbers}
        {before.length === 0 ? null : `, ${texts.common.compared(sumOf(values), sumOf(before))}`}
      </Text>
      <svg
        className={styles.chart}
        viewBox={`0 0 ${bars.length * 4} 40`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {bars.map(({ key, value, title }, index) => (
          <rect
            key={key}
            x={index * 4}
            y={axis - Math.max(0, value) * scale}
            width={3}
            height={Math.abs(value) * scale}
            className={styles[tone]}
          >
            <title>{title}</title>
          </rect>
        ))}
        <polyline
          points={before
            .flatMap((value, index) => [0, 3].map((x) => `${index * 4 + x},${axis - value * scale}`))
            .join(' ')}
          className={styles.before}
        />
        <line x1={0} x2={bars.length * 4} y1={axis} y2={axis} className={styles.axis} />
      </svg>
    </Stack>
  );
}
