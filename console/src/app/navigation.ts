import type { LinkProps } from '@tanstack/react-router';
import { texts } from '../texts';

interface Destination {
  readonly to: NonNullable<LinkProps['to']>;
  readonly text: string;
}

const { screens } = texts.common;

/** The screens of the main navigation, in its order. */
export const DESTINATIONS: readonly Destination[] = [
  { to: '/today', text: screens.today },
  { to: '/attention', text: screens.attention },
  { to: '/orders', text: screens.orders },
];
