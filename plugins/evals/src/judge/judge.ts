import { randomUUID } from 'node:crypto'
import {
  err,
  hashOf,
  NANO,
  ok,
  type Agent,
  type Failure,
  type ModelConfig,
  type Result,
} from '@amodal/sdk'
import { newSessionId } from '@amodal/sdk/loop'
import type { Observation } from '../definition.ts'
import { JudgeFailed } from '../errors.ts'
import { readJournal } from '../trial/observe.ts'
import { TESTER } from '../trial/trial-parts.ts'
import { stateOf, type Trial } from '../trial/trial.ts'
import { INSTRUCTIONS, judgeRequest, type JudgeRequest } from './judge-request.ts'
import { majority, readVerdicts, type LineVerdict } from './verdict.ts'

/** Replies of judges by the hash of what they were asked. */
export interface Judgements {
  find(key: string): Promise<string | undefined>
  add(key: string, reply: string): Promise<void>
}

export interface JudgeSettings {
  readonly config: ModelConfig
  /** Times that it is asked. */
  readonly votes: number
}

/** What judging one case came to. */
export interface Judged {
  readonly verdicts: readonly (LineVerdict & { readonly votes: number })[]
  readonly tokens: number
  /** Dollars; `undefined` where the price of the judge is not known. */
  readonly cost: number | undefined
}

interface JudgeParts {
  readonly agent: Agent
  readonly judgements: Judgements
}

interface Reply {
  readonly text: string
  readonly tokens: number
  readonly cost: number | undefined
}

/** The name of a model, as tables show it. */
export const modelName = ({ model, provider }: ModelConfig): string => `${provider}/${model}`

/**
 * Has another model judge a case, in sessions of their own, in which it has no tools. Anything but
 * a complete verdict is an error.
 */
export async function judge(
  parts: JudgeParts,
  trial: Trial,
  observation: Observation,
  { config, votes }: JudgeSettings,
  signal: AbortSignal,
): Promise<Result<Judged, Failure>> {
  const { rubric, setup } = trial.case
  trial.judge = { instructions: INSTRUCTIONS, config }
  const verdicts: (readonly LineVerdict[])[] = []
  let tokens = 0
  let cost: number | undefined = 0
  for (let vote = 0; vote < votes; vote++) {
    const request = judgeRequest(rubric, observation, setup.context, {
      judge: modelName(config),
      vote,
    })
    const reply = await replyOf(parts, trial, request, signal)
    if (!reply.ok) return reply
    tokens += reply.value.tokens
    cost =
      cost === undefined || reply.value.cost === undefined ? undefined : cost + reply.value.cost
    const read = readVerdicts(reply.value.text, request)
    if (!read.ok) return err(JudgeFailed(`${modelName(config)}: ${read.error}`))
    // Only a reply that counts answers the same question later.
    await parts.judgements.add(request.key, reply.value.text)
    verdicts.push(read.value)
  }
  return ok({
    verdicts: majority(verdicts),
    tokens,
    cost: cost === undefined ? undefined : cost / NANO,
  })
}

async function replyOf(
  { agent, judgements }: JudgeParts,
  trial: Trial,
  { key, text }: JudgeRequest,
  signal: AbortSignal,
): Promise<Result<Reply, Failure>> {
  const known = await judgements.find(key)
  if (known !== undefined) return ok({ text: known, tokens: 0, cost: 0 })
  const client = agent.as({ tenant: trial.tenant, principal: TESTER })
  const session = newSessionId()
  trial.sessions.add(session)
  const sent = await client.ask(
    {
      session,
      create: true,
      text,
      key: hashOf([key, randomUUID()]).slice(0, 32),
      sessionState: stateOf(trial, 'judge'),
    },
    signal,
  )
  if (!sent.ok) return err(JudgeFailed(`${sent.error.code}: ${sent.error.message}`))
  const { events, reason } = sent.value
  if (reason !== 'model_stop') {
    const error = events.findLast((event) => event.type === 'error')
    return err(JudgeFailed(error ? `${error.code}: ${error.message}` : `it ended: ${reason}`))
  }
  const journal = await readJournal(client, session, () => false)
  if (!journal.ok) return journal
  const { cost, tokens } = journal.value
  return ok({ text: journal.value.text, tokens: tokens.input + tokens.output, cost })
}
