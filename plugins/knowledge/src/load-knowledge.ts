import { err, ok, type AgentBundle, type Json, type KnowledgeDocument, type ToolDefinition } from '@amodal/sdk'

export const LOAD_KNOWLEDGE = 'load_knowledge'

/** The tool that gives one document, for agents that know more than fits into every prompt. */
export function loadKnowledge({ knowledge }: AgentBundle): ToolDefinition {
  const names = knowledge.map(({ name }) => name)
  const unknown = (name: Json | undefined): string => `there is no document ${JSON.stringify(name ?? null)}; the documents are: ${names.join(', ')}`
  const named = (name: Json | undefined): KnowledgeDocument | undefined => {
    const wanted = typeof name === 'string' ? name.trim().replace(/\.md$/i, '').toLowerCase() : undefined
    return knowledge.find((document) => document.name === name) ?? knowledge.find((document) => document.name.toLowerCase() === wanted)
  }
  return {
    name: LOAD_KNOWLEDGE,
    description: 'Gives the text of one of the documents listed under Knowledge.',
    parameters: {
      type: 'object',
      properties: { name: { type: 'string', enum: names, description: 'Name of the document' } },
      required: ['name'],
      additionalProperties: false,
    },
    parse({ name }) {
      const document = named(name)
      return document ? ok({ name: document.name }) : err(unknown(name))
    },
    readOnly: true,
    runningLabel: 'Reading knowledge',
    completedLabel: 'Read knowledge',
    async execute({ name }) {
      const document = named(name)
      if (!document) return { status: 'error', message: unknown(name) }
      return { status: 'success', output: `# ${document.title}\n\n${document.body}` }
    },
  }
}
