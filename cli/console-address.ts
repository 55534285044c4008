import { say } from './command';

/** Prints the address of the console, with a sign-in link when there is one. */
export function sayConsole(baseUrl: string, signInLink: string | undefined): void {
  say(`Console      ${signInLink ?? `${baseUrl}/console`}`);
  if (signInLink !== undefined) say('             This link signs you in once, within 10 minutes.');
}
