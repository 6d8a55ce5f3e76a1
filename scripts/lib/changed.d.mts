/** @param ref default: where this branch left main */
export function changedFiles(root: string, ref?: string): string[]
export function dependentTests(root: string, changed: readonly string[]): string[]
