import {
  explain,
  Kernel,
  ok,
  PromptCompiler,
  PromptSections,
  unwrap,
  use,
  type AgentBundle,
  type CompiledPrompt,
  type Entry,
  type SectionSource,
  type ToolDefinition,
  type ToolList,
} from '@amodal/sdk'
import { onTestFinished } from 'vitest'

export const NO_TOOLS: ToolList = { tools: [], aliases: {} }

/** A bundle as a folder would give it. */
export function bundleOf(
  change: Partial<AgentBundle> & { readonly manifest?: AgentBundle['manifest'] } = {},
): AgentBundle {
  return {
    hash: 'h1',
    root: undefined,
    instructions: undefined,
    skills: [],
    knowledge: [],
    stores: [],
    files: [],
    references: [],
    issues: [],
    parts: {},
    manifest: manifestOf({}),
    ...change,
  }
}

export function manifestOf(change: Partial<AgentBundle['manifest']>): AgentBundle['manifest'] {
  return { name: 'ops', version: '1.0.0', models: {}, limits: {}, raw: {}, ...change }
}

export function tool(name: string): ToolDefinition {
  return {
    name,
    description: `Does ${name}`,
    parameters: { type: 'object', properties: { id: { type: 'string' } } },
    parse: (args) => ok(args),
    readOnly: true,
    execute: async () => ({ status: 'success', output: null }),
  }
}

/**
 * A kernel of these plugins, closed when the test is over, and what its compiler makes of a bundle.
 */
export async function compilerOf(entries: readonly Entry[]) {
  const kernel = unwrap(await Kernel.create(entries), explain)
  onTestFinished(async () => void (await kernel.close()))
  const compiler = kernel.scope.get(PromptCompiler)
  const generation = kernel.current()
  const sources = new Map(
    [...generation.registry(PromptSections)].map(([key, source]) => [
      key,
      { source, plugin: generation.ownerOf(PromptSections, key) ?? '?' },
    ]),
  )
  const draft = (bundle: AgentBundle, tools: ToolList = NO_TOOLS) =>
    compiler.draft(bundle, tools, sources)
  const compile = (bundle: AgentBundle, tools: ToolList = NO_TOOLS): CompiledPrompt =>
    compiler.render(draft(bundle, tools), bundle)
  return { kernel, compiler, draft, compile }
}

export { use }
export type { SectionSource }
