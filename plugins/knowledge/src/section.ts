import type { AgentBundle, KnowledgeDocument, PromptSection, ToolList } from '@amodal/sdk'
import { estimateTokens } from '@amodal/plugin-prompt/tokens'
import { LOAD_KNOWLEDGE } from './load-knowledge.ts'

const INTRO = 'What is known of the environment you work in. Where it answers a question, use it; where it contradicts what you look up, say so.'

/** Whether all documents may stand in every prompt. */
export function fitsEagerly({ knowledge }: AgentBundle, eagerTokens: number): boolean {
  return estimateTokens(knowledge.reduce((sum, document) => sum + whole(document).length, 0)) <= eagerTokens
}

/** The section of the prompt: all documents, or their titles where they are read by a tool. */
export function knowledgeSections(bundle: AgentBundle, { tools }: ToolList, eagerTokens: number): readonly PromptSection[] {
  const { knowledge } = bundle
  if (knowledge.length === 0) return []
  const eager = fitsEagerly(bundle, eagerTokens)
  const texts = knowledge.map(eager ? whole : entry)
  const how = eager ? '' : tools.some(({ name }) => name === LOAD_KNOWLEDGE) ? ` Read a document with \`${LOAD_KNOWLEDGE}\` before you rely on it.` : ' The documents cannot be read here: say so when one would be needed.'
  return [{
    id: 'knowledge', title: 'Knowledge', weight: 40, category: 'knowledge',
    body: [`${INTRO}${how}`, texts.join(eager ? '\n\n' : '\n')].join('\n\n'),
    parts: knowledge.map(({ name, file }, index) => ({ name, chars: texts[index]?.length ?? 0, file })),
  }]
}

/** With an end that no heading of the text can be mistaken for. */
function whole({ name, title, body }: KnowledgeDocument): string {
  return `<document name="${attribute(name)}" title="${attribute(title)}">\n${body}\n</document>`
}

function entry({ name, title }: KnowledgeDocument): string {
  return `- \`${name}\` – ${title}`
}

const attribute = (text: string): string => text.replaceAll('"', '&quot;')
