import type { Manifest } from './ports/bundle.ts'
import type { ToolDefinition } from './ports/tool.ts'
import { matchesWildcard } from './wildcard.ts'

/**
 * Whether no client sees what a tool gives: the tool says so, or `tools.private` of the manifest
 * names it.
 *
 * @example isPrivateTool({ name: 'look_up_salary' }, { privateTools: ['look_up_*'] }) // true
 */
export const isPrivateTool = (
  { name, private: declared }: Pick<ToolDefinition, 'name' | 'private'>,
  { privateTools = [] }: Pick<Manifest, 'privateTools'>,
): boolean => declared === true || privateTools.some((pattern) => matchesWildcard(pattern, name))
