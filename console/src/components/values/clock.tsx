import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';

export const REFRESH_MS = 5_000;

const Clock = createContext(0);

/** Tells the time to the ages below it, which therefore change together. */
export function ClockProvider({ children }: { readonly children: ReactNode }) {
  const [now, setNow] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return <Clock value={now}>{children}</Clock>;
}

/** Returns the time in milliseconds since 1970, at most five seconds old. */
export const useNow = (): number => useContext(Clock);
