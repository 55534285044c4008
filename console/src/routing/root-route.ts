import { createRootRoute, createRoute, redirect } from '@tanstack/react-router';

/** The parent of every route. The router gives it the frame of every screen. */
export const rootRoute = createRootRoute();

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
