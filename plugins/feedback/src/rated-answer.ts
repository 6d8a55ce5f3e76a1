import { err, failure, ok, type Failure, type Result, type SequencedEntry } from '@amodal/sdk'
import { textStart } from '@amodal/sdk/data'
import { spentIn } from '@amodal/sdk/loop'

/** Characters of a question and of an answer that are stored with an opinion. */
const EXCERPT = 2_000

/** The answer of one run, as much as is needed to judge what is said of it. */
export interface RatedAnswer {
  readonly run: string
  /** The journal's number of the reply. */
  readonly seq: number
  /** ms since the epoch. */
  readonly answeredAt: number
  /** Beginnings of the texts. */
  readonly question: string
  readonly answer: string
  readonly model: string
  readonly provider: string
  readonly inputTokens: number
  readonly outputTokens: number
  /** Billionths of a dollar; left out where no price is known. */
  readonly cost?: number
}

type Entries = readonly SequencedEntry[]
type Reply = Extract<SequencedEntry, { readonly kind: 'model_reply' }>

/**
 * Finds the answer that is meant: what a run says last.
 *
 * @param message the number of any entry of its run, or the id of the run; left out: the last
 *   answer of the session
 */
export function answerIn(
  entries: Entries,
  message: string | number | undefined,
): Result<RatedAnswer, Failure> {
  const shown = uncleared(entries)
  const run = message === undefined ? shown.findLast(isReply)?.run : runNamed(shown, message)
  const ofRun = shown.filter((entry) => entry.run === run)
  const replies = ofRun.filter(isReply)
  const reply = replies.findLast(({ text }) => text !== '') ?? replies.at(-1)
  if (reply) return ok(described(reply, ofRun))
  return err(
    failure(
      'VALIDATION_ERROR',
      message === undefined
        ? 'session_id: there is no answer in this session yet'
        : 'message_id: names no answer of this session; give the `seq` of a message, or the id of a run',
    ),
  )
}

const isReply = (entry: SequencedEntry): entry is Reply => entry.kind === 'model_reply'

/** What was cleared is not shown to anybody. */
function uncleared(entries: Entries): Entries {
  const isClear = (entry: SequencedEntry): boolean =>
    entry.kind === 'compacted' && entry.cause === 'clear'
  return entries.slice(entries.findLastIndex(isClear) + 1)
}

const runNamed = (entries: Entries, message: string | number): string | undefined =>
  entries.find(({ seq, run }) => String(seq) === String(message) || run === message)?.run

function described(reply: Reply, ofRun: Entries): RatedAnswer {
  const question = ofRun.findLast(({ kind, seq }) => kind === 'user_message' && seq < reply.seq)
  const spent = ofRun.flatMap((entry) => spentIn(entry) ?? [])
  const costs = spent.flatMap(({ cost }) => cost ?? [])
  return {
    run: reply.run,
    seq: reply.seq,
    answeredAt: reply.at,
    question: question?.kind === 'user_message' ? textStart(question.text, EXCERPT) : '',
    answer: textStart(reply.text, EXCERPT),
    model: reply.model.model,
    provider: reply.model.provider,
    inputTokens: sum(spent.map(({ usage }) => usage.input)),
    outputTokens: sum(spent.map(({ usage }) => usage.output)),
    ...(costs.length > 0 && { cost: sum(costs) }),
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0)
