import {
  PromptCompiler,
  PromptSections,
  Tools,
  type AgentBundle,
  type Generation,
} from '@amodal/sdk'
import { knownTools } from '@amodal/plugin-loop/tokens'
import { sha256Of } from './format.ts'

/**
 * The hash of the prompt that is compiled of these files, without connecting to anything: what
 * servers outside contribute to it is left out, since it changes without the files.
 */
export function promptHash(generation: Generation, bundle: AgentBundle): string | undefined {
  const compiler = generation.scope.find(PromptCompiler)
  if (!compiler) return undefined
  const elsewhere = new Set(
    [...generation.registry(Tools)].flatMap(([key, source]) =>
      source.revision !== undefined || source.settled !== undefined
        ? [generation.ownerOf(Tools, key)]
        : [],
    ),
  )
  const sources = new Map(
    [...generation.registry(PromptSections)].flatMap(([key, source]) => {
      const plugin = generation.ownerOf(PromptSections, key)
      return elsewhere.has(plugin) ? [] : [[key, { source, plugin }] as const]
    }),
  )
  const tools = Object.freeze({ tools: knownTools(generation, bundle), aliases: {} })
  return sha256Of(compiler.render(compiler.draft(bundle, tools, sources), bundle).text)
}
