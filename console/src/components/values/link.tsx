import { Anchor, type AnchorProps } from '@mantine/core';
import { createLink, type LinkComponent } from '@tanstack/react-router';
import { type AnchorHTMLAttributes, forwardRef } from 'react';

type Props = AnchorProps & Omit<AnchorHTMLAttributes<HTMLAnchorElement>, keyof AnchorProps>;

const RoutedAnchor = createLink(
  forwardRef<HTMLAnchorElement, Props>((props, ref) => <Anchor ref={ref} size="sm" {...props} />),
);

/** A link to a screen of the console. */
export const Link: LinkComponent<typeof RoutedAnchor> = (props) => <RoutedAnchor preload="intent" {...props} />;
