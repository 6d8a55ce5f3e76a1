/** Where tests have their temporary files; `undefined`: in the usual place. */
export const temporaryFolder: string | undefined
/** @returns what removes it */
export default function setup(): (() => void) | undefined
