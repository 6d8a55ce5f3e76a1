/** What `npm test` runs. */
export const stageNames: readonly string[]
/** What may stand before or beside them. */
export const optionNames: readonly string[]
/** @returns exit code */
export function check(
  root: string,
  tools: { readonly node: string; readonly pnpm: string; readonly env: NodeJS.ProcessEnv },
  args: readonly string[],
): Promise<number>
