import type { AgentBundle } from '@amodal/sdk'
import type { DeclaredTool } from './declared-tools.ts'

// What other plugins may import: the tools that files declare, without running their code.
export type { DeclaredTool } from './declared-tools.ts'

/**
 * The tools that the files of a bundle declare. Nothing of them is run, so these may be files that
 * nobody has accepted yet.
 *
 * @returns without tools whose definition cannot be read
 * @example
 * const names = (await declaredTools(bundle)).map(({ name }) => name)
 */
export const declaredTools = async (bundle: AgentBundle): Promise<readonly DeclaredTool[]> =>
  (await import('./declared-tools.ts')).declaredTools(bundle)
