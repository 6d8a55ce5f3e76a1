import { never, type JsonObject } from '@amodal/sdk'
import { askFacts } from './ask-facts.ts'
import { callFacts } from './call-facts.ts'
import { noteFacts } from './note-facts.ts'
import type { RowFacts } from './row.ts'
import { dollars, lineOf, tokensOf } from './text.ts'
import type {
  CompactionThing,
  EndThing,
  GuardThing,
  ReplyThing,
  SpentThing,
  Thing,
} from '../thing.ts'
import { WITHHELD_TEXT } from '../withheld.ts'

/** What the row of a thing says. */
export function factsOf(thing: Thing): RowFacts {
  switch (thing.kind) {
    case 'message': {
      const { text, assets = [], at } = thing.entry
      const files = assets.length === 0 ? '' : ` (${assets.length} files)`
      return {
        kind: 'message',
        title: `${lineOf(text)}${files}`,
        status: 'done',
        startedAt: at,
        ms: 0,
      }
    }
    case 'reply':
      return replyFacts(thing)
    case 'spent':
      return spentFacts(thing)
    case 'call':
      return callFacts(thing)
    case 'ask':
      return askFacts(thing)
    case 'guard':
      return guardFacts(thing)
    case 'compaction':
      return compactionFacts(thing)
    case 'note':
      return noteFacts(thing)
    case 'end':
      return endFacts(thing)
    default:
      return never(thing)
  }
}

function replyFacts({ entry, attempts }: ReplyThing): RowFacts {
  const { text, calls, at, ms, finish, reasoning = '' } = entry
  const names = [...new Set(calls.map(({ name }) => name))].join(', ')
  const answer = text.trim() === '' ? 'Empty answer' : lineOf(text)
  const failed = finish === 'error'
  return {
    kind: 'model',
    title: calls.length > 0 ? `Calls ${names}` : answer,
    status: failed ? 'failed' : 'done',
    startedAt: at - ms,
    ms,
    model: {
      ...modelOf(entry),
      step: entry.step,
      finish,
      tries: attempts.length + 1,
      reasoning_chars: reasoning.length,
    },
    ...(failed && {
      error: { code: 'MODEL_FAILED', message: 'The answer broke off before its end.' },
    }),
  }
}

const spentFacts = ({ entry, isAside, run }: SpentThing): RowFacts => ({
  kind: 'model',
  title: isAside ? 'Call beside the conversation' : 'Attempt without a reply',
  status: statusOfSpent(isAside, run.end?.reason === 'user_abort'),
  startedAt: entry.at,
  ms: null,
  ...(entry.spent && { model: { ...modelOf(entry.spent), aside: isAside } }),
})

function statusOfSpent(isAside: boolean, isCancelled: boolean): RowFacts['status'] {
  if (isAside) return 'done'
  return isCancelled ? 'cancelled' : 'failed'
}

type Called = Pick<ReplyThing['entry'], 'usage' | 'model' | 'cost'>

const modelOf = ({ usage, model, cost }: Called): JsonObject => ({
  provider: model.provider,
  model: model.model,
  tokens: tokensOf(usage),
  cost: dollars(cost),
})

const VERDICTS: Readonly<Record<GuardThing['verdict'], string>> = {
  denied: 'Refused',
  withheld: 'Result withheld',
  redacted: 'Fields removed',
}

function guardFacts({ entry, verdict, fields, of }: GuardThing): RowFacts {
  const reason = typeof entry.output === 'string' ? entry.output : WITHHELD_TEXT
  const detail = verdict === 'redacted' ? `${fields ?? 0} of ${entry.name}` : lineOf(reason)
  return {
    kind: 'guard',
    title: `${VERDICTS[verdict]}: ${detail}`,
    status: verdict === 'redacted' ? 'done' : 'refused',
    startedAt: entry.at,
    ms: 0,
    guard: {
      verdict,
      tool: entry.name,
      ...(entry.code !== undefined && { code: entry.code }),
      ...(fields !== undefined && { fields }),
    },
    ...(of !== undefined && { of }),
  }
}

function compactionFacts({ entry }: CompactionThing): RowFacts {
  const { cause, at, tokens_before: before, tokens_after: after } = entry
  const sizes =
    before === undefined || after === undefined ? '' : `: ${before} → ${after} tokens (estimate)`
  return {
    kind: 'compaction',
    title: cause === 'clear' ? 'Conversation cleared' : `Conversation compacted${sizes}`,
    status: 'done',
    startedAt: at,
    ms: null,
    code: cause,
  }
}

const ENDS: Readonly<Record<EndThing['entry']['reason'], readonly [string, RowFacts['status']]>> = {
  model_stop: ['Run ended', 'done'],
  max_turns: ['Run ended: the limit of turns is reached', 'done'],
  user_abort: ['Run cancelled', 'cancelled'],
  error: ['Run failed', 'failed'],
  budget_exceeded: ['Run ended: a budget is used up', 'refused'],
  loop_detected: ['Run ended: it repeated itself', 'refused'],
}

function endFacts({ entry }: EndThing): RowFacts {
  const [title, status] = ENDS[entry.reason]
  const { error } = entry
  return {
    kind: 'end',
    title: error ? `${title}: ${lineOf(error.message)}` : title,
    status,
    startedAt: entry.at,
    ms: 0,
    code: entry.reason,
    ...(error && { error: { code: error.code, message: error.message } }),
  }
}
