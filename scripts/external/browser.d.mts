export const BROWSER_FLAGS: string[];
export function browserPath(): string;
