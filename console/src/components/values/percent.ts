/** Returns a share from 0 to 1 as a text such as `12 %`. */
export const percent = (share: number): string => `${Math.round(share * 100)} %`;
