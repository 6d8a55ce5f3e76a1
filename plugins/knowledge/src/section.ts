import type { AgentBundle, KnowledgeDocument, PromptSection, ToolList } from '@amodal/sdk'
import { estimateTokens } from '@amodal/plugin-prompt/tokens'
import { LOAD_KNOWLEDGE } from './load-knowledge.ts'

const INTRO =
  'What is known of the environment you work in. Where it answers a question, use it; where it contradicts what you look up, say so.'

/** Whether all documents may stand in every prompt. */
export function fitsEagerly({ knowledge }: AgentBundle, eagerTokens: number): boolean {
  return (
    estimateTokens(knowledge.reduce((sum, document) => sum + whole(document).length, 0)) <=
    eagerTokens
  )
}

/** The section of the prompt: all documents, or their titles where they are read by a tool. */
export function knowledgeSections(
  bundle: AgentBundle,
  { tools }: ToolList,
  eagerTokens: number,
): readonly PromptSection[] {
  const { knowledge } = bundle
  if (knowledge.length === 0) return []
  const eager = fitsEagerly(bundle, eagerTokens)
  const texts = knowledge.map(eager ? whole : entry)
  const instruction = tools.some(({ name }) => name === LOAD_KNOWLEDGE)
    ? ` Read a document, or all on a topic, with \`${LOAD_KNOWLEDGE}\` before you rely on it.`
    : ' The documents cannot be read here: say so when one would be needed.'
  const how = eager ? '' : instruction
  return [
    {
      id: 'knowledge',
      title: 'Knowledge',
      weight: 40,
      category: 'knowledge',
      body: [`${INTRO}${how}`, texts.join(eager ? '\n\n' : '\n')].join('\n\n'),
      parts: knowledge.map(({ name, file }, index) => ({
        name,
        chars: texts[index]?.length ?? 0,
        file,
      })),
    },
  ]
}

/** With an end that no heading of the text can be mistaken for. */
export function whole({ name, title, body, tags = [] }: KnowledgeDocument): string {
  const about = tags.length === 0 ? '' : ` tags="${attribute(tags.join(', '))}"`
  return `<document name="${attribute(name)}" title="${attribute(title)}"${about}>\n${body}\n</document>`
}

function entry({ name, title, tags = [] }: KnowledgeDocument): string {
  return `- \`${name}\` – ${title}${tags.length === 0 ? '' : ` (${tags.join(', ')})`}`
}

const attribute = (text: string): string => text.replaceAll('"', '&quot;')

/** Documents that this tenant has approved for itself. */
export function tenantSection(documents: readonly KnowledgeDocument[]): PromptSection | undefined {
  if (documents.length === 0) return undefined
  const texts = documents.map(whole)
  return {
    id: 'knowledge-approved',
    title: 'Approved knowledge',
    weight: 41,
    category: 'knowledge',
    body: [
      'What people have approved to be known here, beside the documents above. Where both speak of the same, this is newer.',
      ...texts,
    ].join('\n\n'),
    parts: documents.map(({ name }, at) => ({ name, chars: texts[at]?.length ?? 0 })),
  }
}
