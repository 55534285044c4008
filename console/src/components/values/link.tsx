import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type Props = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

const RoutedAnchor = createLink(
  forwardRef<HTMLAnchorElement, Props>((props, ref) => <Anchor ref={ref} size="sm" {...props} />),
);

/** A link to a page outside the console, in a new tab. Null: the text alone. */
export function OutsideLink(props: { readonly to: string | null; readonly text: string; readonly size?: 'xs' | 'sm' }) {
  const { to, text, size = 'sm' } = props;
  if (to === null) return text;
  return (
    <Anchor size={size} href={to} target="_blank" rel="noreferrer">
      {text}
    </Anchor>
  );
}

/** A link to a screen of the console. */
export const Link: LinkComponent<typeof RoutedAnchor> = (props) => <RoutedAnchor preload="intent" {...props} />;
