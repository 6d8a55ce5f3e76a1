import type { ToolOutcome } from '@amodal/sdk'
import type { CallThing, GuardThing } from './thing.ts'

/** Outcomes of calls that were not made, because a rule or a budget forbids them. */
const REFUSALS: ReadonlySet<string> = new Set([
  'TOOL_DENIED',
  'TOOL_CHANGED',
  'BUDGET_EXCEEDED',
  'HANDLE_REFUSED',
])

/** Outcomes of calls whose result a guard has held back. */
const WITHHELD: ReadonlySet<string> = new Set(['ANSWER_WITHHELD'])

export const isRefusal = (code: string | undefined): boolean =>
  code !== undefined && REFUSALS.has(code)

/** What a guard did with a call; `undefined` where a person refused it, or nobody did. */
export function verdictOf(
  { code = '' }: ToolOutcome,
  call: CallThing | undefined,
): GuardThing['verdict'] | undefined {
  if (WITHHELD.has(code)) return 'withheld'
  if (!REFUSALS.has(code)) return undefined
  const newest = call?.questions.findLast(({ entry }) => entry.ask_type === 'approval')
  const { answer } = newest ?? {}
  const isOfPerson = answer !== undefined && !isApproved(answer)
  return isOfPerson ? undefined : 'denied'
}

export const isApproved = ({ answer, void: reason }: NonNullable<CallAnswer>): boolean =>
  answer['approved'] === true && reason === undefined

type CallAnswer = CallThing['questions'][number]['answer']
