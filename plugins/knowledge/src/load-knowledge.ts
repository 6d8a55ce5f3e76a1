import { err, ok, type AgentBundle, type Json, type ToolDefinition } from '@amodal/sdk'
import { plain, topicsOf, documentsFor } from './topics.ts'

export const LOAD_KNOWLEDGE = 'load_knowledge'

/** The tool that returns documents, for agents whose knowledge does not fit into every prompt. */
export function loadKnowledge({ knowledge }: AgentBundle): ToolDefinition {
  const names = knowledge.map(({ name }) => name)
  const topics = [...new Set(knowledge.flatMap(topicsOf))].sort()
  const unknown = (name: Json | undefined): string =>
    `there is no document ${JSON.stringify(name ?? null)}; the documents are: ${names.join(', ')}; and they are about: ${topics.join(', ')}`
  const found = (name: Json | undefined) =>
    typeof name === 'string' ? documentsFor(knowledge, name) : []
  return {
    name: LOAD_KNOWLEDGE,
    description:
      'Gives the text of one of the documents listed under Knowledge, or of all that are about a topic.',
    parameters: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the document, or a topic such as baselines' },
      },
      required: ['name'],
      additionalProperties: false,
    },
    parse({ name }) {
      const [one, ...more] = found(name)
      if (!one) return err(unknown(name))
      return ok({
        name: more.length === 0 ? one.name : plain(typeof name === 'string' ? name : ''),
      })
    },
    readOnly: true,
    runningLabel: 'Reading knowledge',
    completedLabel: 'Read knowledge',
    async execute({ name }) {
      const documents = found(name)
      if (documents.length === 0) return { status: 'error', message: unknown(name) }
      return {
        status: 'success',
        output: documents.map(({ title, body }) => `# ${title}\n\n${body}`).join('\n\n'),
      }
    },
  }
}
