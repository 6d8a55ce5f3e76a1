import type { Json } from '@amodal/sdk'
import type { RunProgress, RunQuestion, RunTokens } from '@amodal/sdk/client'

/** A step of the timeline of a run. A call is one step, from its start to its outcome. */
export type RunStep = { readonly key: string; readonly at: string } & (
  | { readonly kind: 'thought'; readonly text: string }
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly input: string
      readonly status: 'running' | 'waiting' | 'done' | 'failed'
      readonly ms: number | undefined
      /** What came of it: the beginning of its result, or its error. */
      readonly outcome: string | undefined
    }
  | { readonly kind: 'turn'; readonly turn: number; readonly tokens: RunTokens }
  | {
      readonly kind: 'pause'
      readonly type: RunQuestion['pending_input_type']
      readonly question: string
    }
  | { readonly kind: 'end'; readonly isGood: boolean; readonly text: string }
)

/** The steps of a run, in the order in which they began. */
export function stepsOf(events: readonly RunProgress[]): readonly RunStep[] {
  const steps: RunStep[] = []
  const calls = new Map<string, number>()
  const waits = (call: Json | undefined): void => {
    const at = typeof call === 'string' ? calls.get(call) : undefined
    const step = at === undefined ? undefined : steps[at]
    if (at !== undefined && step?.kind === 'call') steps[at] = { ...step, status: 'waiting' }
  }
  for (const [index, event] of events.entries()) {
    const place = { key: String(index), at: event.timestamp }
    switch (event.type) {
      case 'thinking':
        steps.push({ ...place, kind: 'thought', text: event.text })
        break
      case 'tool_start':
        calls.set(event.callId, steps.length)
        steps.push({
          ...place,
          kind: 'call',
          tool: event.toolId,
          input: event.inputSummary,
          status: 'running',
          ms: undefined,
          outcome: undefined,
        })
        break
      case 'tool_complete':
      case 'tool_error': {
        const at = calls.get(event.callId)
        const call = at === undefined ? undefined : steps[at]
        if (at === undefined || call?.kind !== 'call') break
        const isDone = event.type === 'tool_complete'
        steps[at] = {
          ...call,
          status: isDone ? 'done' : 'failed',
          ms: event.durationMs,
          outcome: isDone ? event.resultSummary : event.error,
        }
        break
      }
      case 'turn_complete':
        steps.push({ ...place, kind: 'turn', turn: event.turn, tokens: event.tokensUsed })
        break
      case 'paused':
        waits(event.pending_input_context['tool_use_id'])
        steps.push({
          ...place,
          kind: 'pause',
          type: event.pending_input_type,
          question: questionIn(event.pending_input_context),
        })
        break
      case 'completed':
        steps.push({ ...place, kind: 'end', isGood: true, text: event.reason })
        break
      case 'error':
        steps.push({ ...place, kind: 'end', isGood: false, text: event.message })
        break
      default:
        event satisfies never
    }
  }
  return steps
}

/** What a person is asked, in words. */
function questionIn(context: RunQuestion['pending_input_context']): string {
  const { question, reason, tool } = context
  const words = [question, reason, tool].find((one) => typeof one === 'string' && one !== '')
  return typeof words === 'string' ? words.replaceAll('_', ' ') : ''
}

/** Turns, tools and tokens of a run. */
export interface RunFigures {
  readonly turns: number
  readonly tools: readonly (readonly [tool: string, count: number])[]
  readonly tokens: RunTokens
}

const NO_TOKENS: RunTokens = { input: 0, output: 0, cacheRead: 0, cacheCreate: 0 }

/** The same as the status of the run has them, counted from its events as they come. */
export function figuresOf(events: readonly RunProgress[]): RunFigures {
  const tools = new Map<string, number>()
  let tokens = NO_TOKENS
  let turns = 0
  for (const event of events) {
    if (event.type === 'tool_start') tools.set(event.toolId, (tools.get(event.toolId) ?? 0) + 1)
    if (event.type === 'turn_complete') {
      const { input, output, cacheRead, cacheCreate } = event.tokensUsed
      turns = Math.max(turns, event.turn)
      tokens = {
        input: tokens.input + input,
        output: tokens.output + output,
        cacheRead: tokens.cacheRead + cacheRead,
        cacheCreate: tokens.cacheCreate + cacheCreate,
      }
    }
  }
  return { turns, tools: [...tools], tokens }
}

const sumOf = ({ input, output }: RunTokens): number => input + output

/** Of two sets of figures those that count more: a status is read at times, events come always. */
export const latestFigures = (a: RunFigures, b: RunFigures): RunFigures => ({
  turns: Math.max(a.turns, b.turns),
  tools: countOf(a) >= countOf(b) ? a.tools : b.tools,
  tokens: sumOf(a.tokens) >= sumOf(b.tokens) ? a.tokens : b.tokens,
})

const countOf = ({ tools }: RunFigures): number => tools.reduce((sum, [, count]) => sum + count, 0)
