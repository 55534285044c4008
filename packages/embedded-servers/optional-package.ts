/** A package that only some commands need is not installed. The message names the package and what to do. */
export class OptionalPackageMissing extends Error {
  override readonly name = 'OptionalPackageMissing';
}

export function isInstalled(name: string): boolean {
  try {
    require.resolve(name);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks that a package of `optionalDependencies` is installed. Production images leave these packages out.
 * @param need what needs the package, and the way around it
 * @throws OptionalPackageMissing
 */
export function assertInstalled(name: string, need: string): void {
  if (isInstalled(name)) return;
  throw new OptionalPackageMissing(
    `The package ${name} is not installed. ${need} Install it with "npm ci", without --omit=optional.`,
  );
}
