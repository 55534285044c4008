import { Stack, Text } from '@mantine/core';
import type { Tone } from '../../texts/names';
import styles from './charts.module.css';

interface Bar {
  readonly key: string;
  readonly value: number;
  /** What pointing at the bar says. */
  readonly title: string;
}

/** Height of the plot in units of its view box. */
const HEIGHT = 38;

/** A chart of bars under a line with its numbers. Bars of negative values hang from the axis. */
export function Bars(props: {
  readonly label: string;
  readonly numbers: string;
  readonly bars: readonly Bar[];
  readonly tone: Tone;
}) {
  const { label, numbers, bars, tone } = props;
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const least = Math.min(0, ...bars.map(({ value }) => value));
  const scale = HEIGHT / (most - least || 1);
  const axis = 1.5 + HEIGHT + least * scale;
  return (
    <Stack gap={2}>
      <Text size="xs" c="dimmed">
        {numbers}
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
        <line x1={0} x2={bars.length * 4} y1={axis} y2={axis} className={styles.axis} />
      </svg>
    </Stack>
  );
}
