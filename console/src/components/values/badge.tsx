import type { ReactNode } from 'react';
import * as texts from '../../texts';
import { type AttentionReason, PARCEL_STATUSES, type ParcelStatus, type Status, type Tone } from '../../texts/names';
import styles from './badge.module.css';

/** A short text with the colour of its meaning. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ReactNode }) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}

/** The status of an order, an item or a message. */
export function StatusBadge({ status }: { readonly status: Status }) {
  const { text, tone } = texts.names.status(status);
  return <Badge tone={tone}>{text}</Badge>;
}

/** Why an order needs attention. */
export function ReasonBadge({ reason }: { readonly reason: AttentionReason }) {
  return <Badge tone="warning">{texts.names.reason(reason)}</Badge>;
}

/** The status of a parcel. */
export function ParcelBadge({ status }: { readonly status: ParcelStatus }) {
  const { text, tone } = PARCEL_STATUSES[status];
  return <Badge tone={tone}>{text}</Badge>;
}
