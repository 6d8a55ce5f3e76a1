import {
  err,
  ok,
  type Failure,
  type InputAnswered,
  type InputAsked,
  type JsonObject,
  type Result,
  type RunEnded,
  type SequencedEntry,
  type UserMessage,
} from '@amodal/sdk'
import { EvalNotPromotable } from '../errors.ts'
import { notPromotable, type Part } from './conversation.ts'

/** A message, and what people answered in its turn. */
export interface PromotedTurn {
  readonly input: string
  readonly answers: readonly JsonObject[]
}

/** What people said and decided in a conversation. */
export interface PromotedTurns {
  readonly turns: readonly PromotedTurn[]
  /** Background of the first message. */
  readonly context: string | undefined
  /** Tools whose calls somebody was asked about, in order. */
  readonly approvals: readonly string[]
  readonly isGranted: boolean
  /** Plugins that the session began with state of. */
  readonly states: readonly string[]
  /** How the last turn ended. */
  readonly ends: RunEnded['reason']
  /** Hash of the agent's files that the last turn ran on. */
  readonly bundle: string
}

const CONTEXT_NAME = 'background'
/** Ends of turns that happen again where nothing else does. */
const REPEATABLE: ReadonlySet<RunEnded['reason']> = new Set([
  'model_stop',
  'max_turns',
  'loop_detected',
])

/** A question and its answer, with the place in the own journal that leads to it. */
interface Exchange {
  readonly question: SequencedEntry<InputAsked>
  readonly answered: SequencedEntry<InputAnswered>
}

/** Reads messages, answers and approvals; says which entry cannot happen again in a case. */
export function promotedTurns(parts: readonly Part[]): Result<PromotedTurns, Failure> {
  const own = parts[0]?.entries ?? []
  const messages = own.filter((entry) => entry.kind === 'user_message')
  const wrong = wrongMessage(messages) ?? wrongEnd(own, messages)
  if (wrong) return wrong
  const exchanges = exchangesIn(parts)
  if (!exchanges.ok) return exchanges
  const approvals = exchanges.value.filter(({ question }) => question.ask_type === 'approval')
  const isGranted = approvalsGranted(approvals)
  if (!isGranted.ok) return isGranted
  const last = messages.at(-1)
  const end = own.findLast((entry) => entry.kind === 'run_ended')
  if (!last || !end) return err(EvalNotPromotable('the session has no turn that ended'))
  return ok({
    turns: messages.map((message, at) => ({
      input: message.text.trim(),
      answers: answersBetween(exchanges.value, message.at, messages[at + 1]?.at ?? Infinity),
    })),
    context: contextOf(messages[0]),
    approvals: approvals.map(({ question }) => question.name ?? toolIn(question.context)),
    isGranted: isGranted.value,
    // a case is tried with whatever files there are
    states: Object.keys(messages[0]?.session_state ?? {}).filter((key) => key !== 'lasting:deploy'),
    ends: end.reason,
    bundle: last.bundle,
  })
}

type Message = SequencedEntry<UserMessage>

function wrongMessage(messages: readonly Message[]): Result<never, Failure> | undefined {
  const empty = messages.find(({ text }) => text.trim() === '')
  if (empty) return notPromotable(empty.seq, 'the message has no text')
  const file = messages.find(({ assets = [] }) => assets.length > 0)
  return file && notPromotable(file.seq, 'the message has a file, which no case can send')
}

/** A turn that has not ended, or not in a way that happens again. */
function wrongEnd(
  own: readonly SequencedEntry[],
  messages: readonly Message[],
): Result<never, Failure> | undefined {
  for (const { run, seq } of messages) {
    const end = own.findLast((entry) => entry.kind === 'run_ended' && entry.run === run)
    if (end?.kind !== 'run_ended') return notPromotable(seq, 'its turn has not ended')
    if (!REPEATABLE.has(end.reason))
      return notPromotable(end.seq, `the turn ended with ${end.reason}, which no case repeats`)
  }
  return undefined
}

/**
 * Each question once, where it was asked first: one of a sub-agent stands in the journals above it,
 * too.
 */
function exchangesIn(parts: readonly Part[]): Result<readonly Exchange[], Failure> {
  const [asks, answers] = [
    new Map<string, SequencedEntry<InputAsked>>(),
    new Map<string, SequencedEntry<InputAnswered>>(),
  ]
  for (const { entries } of parts.toReversed())
    for (const entry of entries) {
      if (entry.kind === 'input_asked' && !asks.has(entry.ask)) asks.set(entry.ask, entry)
      if (entry.kind === 'input_answered' && !answers.has(entry.ask)) answers.set(entry.ask, entry)
    }
  const exchanges: Exchange[] = []
  for (const question of [...asks.values()].toSorted((one, other) => one.at - other.at)) {
    const answered = answers.get(question.ask)
    const what = question.name === undefined ? 'a question' : `a question about ${question.name}`
    if (!answered) return notPromotable(question.seq, `nobody has answered ${what}`)
    if (answered.void !== undefined)
      return notPromotable(answered.seq, `the answer to ${what} did not count: ${answered.void}`)
    if (question.ask_type === 'continue_or_finish' && answered.answer['action'] !== 'finish')
      return notPromotable(
        answered.seq,
        'a person had the run go on beyond its limit, and a case ends there',
      )
    exchanges.push({ question, answered })
  }
  return ok(exchanges)
}

function approvalsGranted(approvals: readonly Exchange[]): Result<boolean, Failure> {
  const isYes = ({ answered }: Exchange): boolean => answered.answer['approved'] === true
  const [yes, no] = [approvals.find(isYes), approvals.find((one) => !isYes(one))]
  if (!yes || !no) return ok(!no)
  const nameOf = ({ question }: Exchange): string => question.name ?? toolIn(question.context)
  return notPromotable(
    no.answered.seq,
    `${nameOf(no)} was refused and ${nameOf(yes)} approved, and a case grants or refuses all; promote an earlier part with --at`,
  )
}

const answersBetween = (
  exchanges: readonly Exchange[],
  from: number,
  upto: number,
): readonly JsonObject[] =>
  exchanges.flatMap(({ question, answered }) =>
    question.ask_type === 'question' && question.at >= from && question.at < upto
      ? [answered.answer]
      : [],
  )

function contextOf(message: Message | undefined): string | undefined {
  const entries = Object.entries(message?.context ?? {})
  const lines = entries.map(([name, text]) => (name === CONTEXT_NAME ? text : `${name}: ${text}`))
  const text = lines.join('\n').trim()
  return text === '' ? undefined : text
}

const toolIn = ({ tool }: JsonObject): string => (typeof tool === 'string' ? tool : '')
