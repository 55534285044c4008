import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';
import { NotFound } from '../screens/not-found/not-found';
import { Shell } from './shell';

/** The frame of every screen. */
export const rootRoute = createRootRoute({ component: Shell, notFoundComponent: NotFound });

/** The console opens its first screen. */
export const indexRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/today', replace: true });
  },
});

/** Sign-in links lead here. An operator who is signed in gets the first screen. */
export const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/sign-in',
  beforeLoad: () => {
    throw redirect({ to: '/', replace: true });
  },
});
