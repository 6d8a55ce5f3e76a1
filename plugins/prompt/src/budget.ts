import type { CompiledPrompt, PromptSection, ToolList } from '@amodal/sdk'
import { estimateTokens } from './estimate.ts'

type Category = PromptSection['category'] | 'tool'

export interface BudgetPart {
  readonly name: string
  readonly tokens: number
  readonly file?: string
  /** Not of a tool. */ readonly plugin?: string
}
export interface BudgetRow {
  readonly category: Category
  readonly label: string
  readonly tokens: number
  readonly parts: readonly BudgetPart[]
}

/**
 * Where the tokens of a context window go before the first message. Estimates, see {@link
 * estimateTokens}.
 */
export interface Budget {
  readonly window: number
  readonly rows: readonly BudgetRow[]
  /** Sum of the rows. */
  readonly total: number
  /** Left for the conversation; negative where the context alone is too long. */
  readonly available: number
}

const LABELS: Readonly<Record<Category, string>> = {
  system: 'System prompt',
  skill: 'Skills',
  knowledge: 'Knowledge',
  connection: 'Connections',
  store: 'Stores',
  memory: 'Memory',
  other: 'Other',
  tool: 'Tools',
}

/** A section as it stands in the prompt. */
export function sectionText({ title, body }: PromptSection): string {
  return title === '' ? body : `# ${title}\n\n${body}`
}

export function sectionTokens(section: PromptSection): number {
  return estimateTokens(sectionText(section).length)
}

/**
 * The token budget of a request to the model: the sections of the prompt and the tools.
 */
export function budgetOf(prompt: CompiledPrompt, { tools }: Pick<ToolList, 'tools'>): Budget {
  const categories = Object.keys(LABELS) as Category[] // the keys of a record are its type
  const rows = categories.flatMap((category) => {
    const row = category === 'tool' ? toolRow(tools) : sectionRow(category, prompt.sections)
    return row ? [row] : []
  })
  const total = rows.reduce((sum, { tokens }) => sum + tokens, 0)
  return { window: prompt.window, rows, total, available: prompt.window - total }
}

function sectionRow(
  category: Exclude<Category, 'tool'>,
  all: CompiledPrompt['sections'],
): BudgetRow | undefined {
  const sections = all.filter((section) => section.category === category)
  if (sections.length === 0) return undefined
  const parts = sections.flatMap(({ parts: own = [], plugin }) =>
    own.map(({ name, chars, file }): BudgetPart => ({
      name,
      tokens: estimateTokens(chars),
      ...(file !== undefined && { file }),
      plugin,
    })),
  )
  const counted = category === 'system' || parts.length === 0 ? '' : ` (${parts.length})`
  return {
    category,
    label: `${LABELS[category]}${counted}`,
    tokens: sections.reduce((sum, section) => sum + sectionTokens(section), 0),
    parts,
  }
}

function toolRow(tools: ToolList['tools']): BudgetRow | undefined {
  if (tools.length === 0) return undefined
  const parts = tools.map(({ name, description, parameters, file }): BudgetPart => ({
    name,
    tokens: estimateTokens(JSON.stringify({ name, description, parameters }).length),
    ...(file !== undefined && { file }),
  }))
  return {
    category: 'tool',
    label: `${LABELS.tool} (${tools.length})`,
    tokens: parts.reduce((sum, { tokens }) => sum + tokens, 0),
    parts,
  }
}
