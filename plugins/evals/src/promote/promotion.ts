import {
  err,
  ok,
  type Failure,
  type Json,
  type JsonObject,
  type PersonalNumber,
  type Result,
  type Secrets,
} from '@amodal/sdk'
import { ellipsis } from '@amodal/sdk/data'
import { EvalNotPromotable } from '../errors.ts'
import { caseText, isSameJson, readCaseText } from './case-text.ts'
import { cut, partsOf, type Conversation } from './conversation.ts'
import {
  promotedCalls,
  type PromotedCalls,
  type PromotedStub,
  type ReachesOut,
} from './promoted-calls.ts'
import { promotedTurns, type PromotedTurns } from './promoted-turns.ts'
import { Scrubbing, type Replacement } from './scrubbing.ts'

/** Characters of the answer that the judge compares with. */
const MOST_REFERENCE = 500
const MOST_NAME = 40
const NAME = /^[\w-]{1,80}$/

/** What is made of a conversation, and how. */
export interface PromotionRequest {
  /** An entry of the turn that is the last one of the case; left out: the last of all. */
  readonly at?: number
  /** Of the file and its case; left out: the words that the conversation begins with. */
  readonly name?: string
  /**
   * What people found wrong with the last answer. The case then asks for an answer without these
   * faults, and not for what the agent did.
   */
  readonly faults?: readonly Fault[]
}

/** A fault as somebody reported it, in words or by categories such as `inaccurate`. */
export interface Fault {
  readonly categories: readonly string[]
  readonly comment: string
}

/** What promoting needs to know besides the conversation. */
export interface PromotionParts {
  readonly reachesOut: ReachesOut
  readonly secrets: Pick<Secrets, 'mask' | 'values'> | undefined
  /** Names of fields that access rules restrict, in their plain form. */
  readonly restricted: ReadonlySet<string>
  readonly findNumbers: (text: string) => readonly PersonalNumber[] | undefined
}

/** A conversation as a case that can be run. */
export interface Promotion {
  readonly name: string
  /** Where it belongs: `evals/NAME.yaml`. */
  readonly file: string
  readonly text: string
  /** What was replaced in it; never the values. */
  readonly replaced: readonly Replacement[]
  /** What whoever looks at the case should know. */
  readonly notes: readonly string[]
}

/**
 * Makes a case of a conversation: its messages, stubs in place of its calls, and checks of what is
 * the same each time. What is secret or personal is replaced by stand-ins.
 *
 * @returns `EVAL_NOT_PROMOTABLE` with the entry of the journal that stands against it
 * @example
 * const promoted = promote(conversation, { name: 'refund' }, promotionParts)
 * if (promoted.ok) await writeFile(promoted.value.file, promoted.value.text)
 */
export function promote(
  conversation: Conversation,
  request: PromotionRequest,
  parts: PromotionParts,
): Result<Promotion, Failure> {
  const { name } = request
  if (name !== undefined && !NAME.test(name))
    return err(EvalNotPromotable(`"${name}" is no name of a file: use letters, digits, - and _`))
  const read = readAll(conversation, request, parts)
  if (!read.ok) return read
  const scrubbing = new Scrubbing({ ...parts, redacted: conversation.redacted })
  const raw = rawOf(read.value)
  for (const { value, name: field } of raw) scrubbing.learn(value, field)
  const clean = cleaned(read.value, scrubbing)
  if (scrubbing.exceeded)
    return err(EvalNotPromotable('a text is too long to look for personal data in it'))
  const words = nameOf(clean.turns.turns[0]?.input ?? '', conversation.session)
  // Two answers of one conversation are two cases.
  const ownName = name ?? (request.at === undefined ? words : `${words}-${request.at}`)
  return written(ownName, conversation, clean, scrubbing.replaced)
}

interface Read {
  readonly turns: PromotedTurns
  readonly calls: PromotedCalls
  readonly answer: string
  readonly lastSeq: number
  readonly faults: readonly Fault[]
}

function readAll(
  conversation: Conversation,
  { at, faults = [] }: PromotionRequest,
  { reachesOut }: PromotionParts,
): Result<Read, Failure> {
  const entries = cut(conversation.entries, at)
  if (!entries.ok) return entries
  const parts = partsOf(conversation, entries.value)
  if (!parts.ok) return parts
  const turns = promotedTurns(parts.value)
  if (!turns.ok) return turns
  const calls = promotedCalls(parts.value, reachesOut, conversation.isShown)
  if (!calls.ok) return calls
  const reply = entries.value.findLast((entry) => entry.kind === 'model_reply')
  return ok({
    turns: turns.value,
    calls: calls.value,
    answer: reply?.kind === 'model_reply' ? reply.text.trim() : '',
    lastSeq: entries.value.at(-1)?.seq ?? 0,
    faults,
  })
}

/** All that the file would say of the conversation. */
function rawOf({ turns, calls, answer, faults }: Read): readonly { value: Json; name?: string }[] {
  return [
    ...turns.turns.flatMap(({ answers, input }) => [{ value: input }, { value: answers }]),
    ...(turns.context === undefined ? [] : [{ value: turns.context }]),
    ...calls.stubs.flatMap(({ match, outcome }) => [
      { value: match },
      { value: outcome.kind === 'result' ? outcome.output : outcome.message },
    ]),
    { value: answer },
    ...faults.map(({ comment }) => ({ value: comment })),
  ]
}

function cleaned({ turns, calls, answer, lastSeq, faults }: Read, scrubbing: Scrubbing): Read {
  const object = (value: JsonObject, where: string): JsonObject =>
    scrubbing.clean(value, where) as JsonObject // of the same shape
  return {
    lastSeq,
    turns: {
      ...turns,
      turns: turns.turns.map(({ answers, input }, at) => ({
        input: scrubbing.clean(input, `message of turn ${at + 1}`),
        answers: answers.map((one) => object(one, `answer to a question of turn ${at + 1}`)),
      })),
      context:
        turns.context === undefined ? undefined : scrubbing.clean(turns.context, 'background'),
    },
    calls: {
      ...calls,
      stubs: calls.stubs.map(({ match, outcome, tool }) => ({
        tool,
        match: object(match, `arguments of ${tool}`),
        outcome:
          outcome.kind === 'result'
            ? { ...outcome, output: scrubbing.clean(outcome.output, `result of ${tool}`) }
            : { ...outcome, message: scrubbing.clean(outcome.message, `error of ${tool}`) },
      })),
    },
    answer: scrubbing.clean(answer, 'final answer'),
    faults: faults.map(({ categories, comment }) => ({
      categories,
      comment: scrubbing.clean(comment, 'comment'),
    })),
  }
}

/** Writes the case, and reads it again: what the file cannot say is told now. */
function written(
  name: string,
  conversation: Conversation,
  read: Read,
  replaced: readonly Replacement[],
): Result<Promotion, Failure> {
  const { turns, calls } = read
  const file = `evals/${name}.yaml`
  const notes = notesOf(read)
  const head = [
    `Promoted from session ${conversation.session}, up to entry ${read.lastSeq}.`,
    `Bundle: ${turns.bundle}`,
    ...replacementLines(replaced),
    ...notes.map((note) => `Note: ${note}`),
  ]
  const text = caseText(head, { name, cases: [caseOf(name, read)] })
  const back = readCaseText(file, text)
  if (!back.ok) return err(EvalNotPromotable(`it cannot be written as a case: ${back.error}`))
  const stubs = Object.values(back.value.stubs).flatMap((stub) =>
    stub.kind === 'answers' ? stub.answers : [],
  )
  const isSame =
    isSameJson(
      back.value.turns.map(({ input }) => input),
      turns.turns.map(({ input }) => input),
    ) && stubs.length === calls.stubs.length
  return isSame
    ? ok({ name, file, text, replaced, notes })
    : err(EvalNotPromotable('it cannot be written as a case: what is read back differs'))
}

function caseOf(name: string, read: Read): JsonObject {
  const { turns, calls, faults } = read
  return {
    name,
    tags: ['promoted', ...(faults.length > 0 ? ['reported'] : [])],
    ...(turns.context !== undefined && { setup: { context: turns.context } }),
    turns: turns.turns.map(({ answers, input }) =>
      answers.length === 0 ? { input } : { input, answers },
    ),
    ...(calls.stubs.length > 0 && { tools: stubsByTool(calls.stubs) }),
    ...(turns.approvals.length > 0 && { approvals: turns.isGranted ? 'grant' : 'refuse' }),
    assert: faults.length > 0 ? [{ ends: turns.ends }] : checksOf(read),
    ...rubricOf(read),
  }
}

/** That the agent does what it did. */
const checksOf = ({ calls, turns }: Read): readonly JsonObject[] => [
  ...(calls.names.length > 0 ? [{ tools_called: calls.names }] : []),
  ...(calls.own.length > 0 ? [{ tool_order: { mode: 'in_order', tools: calls.own } }] : []),
  { approvals: turns.approvals.length > 0 ? [...new Set(turns.approvals)] : 'none' },
  { writes: writesOf(calls) },
  { ends: turns.ends },
]

function rubricOf({ answer, faults }: Read): JsonObject {
  if (faults.length > 0)
    return {
      rubric: faults.map(({ categories, comment }) => {
        const words = [categories.join(', '), comment.trim()].filter(Boolean).join(': ')
        return words === ''
          ? `Should NOT answer like this, which a person rated as bad: ${ellipsis(answer, MOST_REFERENCE)}`
          : `Should NOT have the fault that a person reported: ${ellipsis(words, MOST_REFERENCE)}`
      }),
    }
  return answer === ''
    ? {}
    : { rubric: [`Should answer as it did: ${ellipsis(answer, MOST_REFERENCE)}`] }
}

/** Each answer is used once, in the order of the calls. */
function stubsByTool(stubs: readonly PromotedStub[]): JsonObject {
  const byTool = new Map<string, JsonObject[]>()
  for (const { match, outcome, tool } of stubs) {
    const given: JsonObject =
      outcome.kind === 'result'
        ? { result: outcome.output }
        : { error: outcome.message, ...(outcome.code !== undefined && { code: outcome.code }) }
    byTool.set(tool, [...(byTool.get(tool) ?? []), { match, ...given }])
  }
  return Object.fromEntries(byTool)
}

function writesOf({ writes: { least, most } }: PromotedCalls): Json {
  if (least !== most) return { min: least, max: most }
  return least === 0 ? 'none' : least
}

function notesOf({ calls: { inside }, turns: { states } }: Read): readonly string[] {
  const notes: string[] = []
  if (inside.length > 0)
    notes.push(
      `${inside.join(', ')} has no stub and works on what the case begins with: give documents in \`setup\` where it needs some`,
    )
  if (states.length > 0)
    notes.push(
      `the session began with state of ${states.join(', ')}, which the case does not have: see \`setup.state\``,
    )
  return notes
}

/** `Replaced 2 × email in result of get_contact` */
export const replacementLines = (replaced: readonly Replacement[]): readonly string[] =>
  replaced.map(({ count, kind, where }) => `Replaced ${count} × ${kind} in ${where}`)

/** The words that it begins with, and the end of the session's id. */
function nameOf(input: string, session: string): string {
  const words = input
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
  let name = ''
  for (const word of words) {
    if (name.length + word.length >= MOST_NAME) break
    name = name === '' ? word : `${name}-${word}`
  }
  const end = session
    .replaceAll(/[^A-Za-z0-9]/g, '')
    .slice(-8)
    .toLowerCase()
  return name === '' ? `session-${end}` : `${name}-${end}`
}
