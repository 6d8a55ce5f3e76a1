import {
  err,
  hashOf,
  NANO,
  ok,
  type AgentBundle,
  type AgentClient,
  type Failure,
  type JsonObject,
  type Result,
  type SendRequest,
  type SessionId,
} from '@amodal/sdk'
import { newSessionId, EVERY_ROLE } from '@amodal/sdk/loop'
import { beginningState } from '@amodal/plugin-live-state/tokens'
import type { Check, Observation, ObservedTurn } from '../definition.ts'
import { EvalInvalid } from '../errors.ts'
import { readJournal } from './observe.ts'
import { readTurn } from './read-turn.ts'
import { TESTER, type TrialParts } from './trial-parts.ts'
import { documentsOf, seedStores } from './trial-stores.ts'
import { stateOf, type Trial } from './trial.ts'

/** A check that is asked between turns, or at the end. */
export interface TurnObserved {
  readonly checks: readonly Check[]
  readonly observation: Observation
}

export interface TrialObserved {
  readonly turns: readonly TurnObserved[]
  /** After the last turn. */
  readonly final: Observation
  readonly session: SessionId
}

/**
 * Has the agent answer the messages of a case, as it would answer a person's.
 *
 * @returns what happened, turn by turn, or why the case could not be run
 */
export async function runTrial(
  parts: TrialParts,
  trial: Trial,
  bundle: AgentBundle,
  signal: AbortSignal,
): Promise<Result<TrialObserved, Failure>> {
  const { case: evalCase } = trial
  const { roles } = evalCase.setup
  const client = parts.agent.as({
    tenant: trial.tenant,
    principal: TESTER,
    // Who runs evals has the files of the agent; a case that is about roles names them.
    roles: roles ?? [EVERY_ROLE],
  })
  const begun = parts.clock.monotonic()
  const prepared = await prepare(parts, trial, bundle, signal)
  if (!prepared.ok) return prepared
  const session = newSessionId()
  trial.sessions.add(session)
  const observed: ObservedTurn[] = []
  const turns: TurnObserved[] = []
  let final: Observation | undefined
  for (const [index, turn] of evalCase.turns.entries()) {
    trial.expectQuestions(turn.answers)
    const request = requestOf(trial, index, index === 0 ? prepared.value : {})
    const sent = await readTurn(client, { ...request, session, create: index === 0 }, signal)
    if (!sent.ok) return err(sent.error)
    const { events, reason = 'error', text } = sent.value
    if (sent.value.reason === undefined)
      return err(EvalInvalid('it waits for a person, and no case can answer for one'))
    const error = events.findLast((event) => event.type === 'error')
    observed.push({
      input: turn.input,
      text,
      reason,
      ...(error && reason === 'error' && { error: `${error.code}: ${error.message}` }),
    })
    const seconds = (parts.clock.monotonic() - begun) / 1_000
    const observation = await observe(client, session, trial, { turns: [...observed], seconds })
    if (!observation.ok) return observation
    final = observation.value
    const stores = await documentsOf(parts, trial, bundle, turn.checks, signal)
    if (!stores.ok) return stores
    if (turn.checks.length > 0)
      turns.push({ checks: turn.checks, observation: { ...final, stores: stores.value } })
    if (reason === 'error') break
  }
  if (!final) return err(EvalInvalid('the case has no message'))
  const stores = await documentsOf(parts, trial, bundle, evalCase.checks, signal)
  return stores.ok ? ok({ turns, final: { ...final, stores: stores.value }, session }) : stores
}

/** State that the first message begins its session with. */
async function prepare(
  parts: TrialParts,
  trial: Trial,
  bundle: AgentBundle,
  signal: AbortSignal,
): Promise<Result<JsonObject, Failure>> {
  const { state, stores } = trial.case.setup
  const seeded = await seedStores(parts, trial, bundle, stores, signal)
  if (!seeded.ok) return seeded
  if (!state) return ok({})
  const begun = beginningState(bundle, state)
  return begun.ok ? ok(begun.value.sessionState ?? {}) : begun
}

function requestOf(trial: Trial, index: number, state: JsonObject): SendRequest {
  const { context: background, clock } = trial.case.setup
  const turn = trial.case.turns[index]
  const context = {
    ...(background !== undefined && { background }),
    ...(clock !== undefined && { 'current time': clock }),
  }
  return {
    text: turn?.input ?? '',
    key: hashOf([trial.tenant, index]).slice(0, 32),
    sessionState: { ...state, ...stateOf(trial, 'subject') },
    ...(index === 0 && Object.keys(context).length > 0 && { context }),
  }
}

async function observe(
  client: AgentClient,
  session: SessionId,
  trial: Trial,
  { turns, seconds }: Pick<Observation, 'turns' | 'seconds'>,
): Promise<Result<Observation, Failure>> {
  const journal = await readJournal(client, session, (call) => trial.effects.has(call))
  if (!journal.ok) return journal
  const { cost, text: _text, ...read } = journal.value
  return ok({
    ...read,
    turns,
    seconds,
    stores: [],
    ...(cost !== undefined && { cost: cost / NANO }),
  })
}
