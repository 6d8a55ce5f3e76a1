import {
  type AgentEvent,
  type AgentState,
  ApprovalPolicy,
  askId,
  type CallId,
  type CallPhase,
  type CallState,
  failure,
  isReadOnly,
  type JournalEntry,
  type JsonObject,
  type PendingAsk,
  type QuestionDraft,
  type ReplyCall,
  type Step,
} from '@amodal/sdk'
import { parseExact } from '@amodal/sdk/data'
import { GRANT_SCOPES, isKeyed, offerIn } from '@amodal/sdk/loop'
import { randomUUID } from 'node:crypto'
import { perform, targetOf } from '../tool-calls/perform.ts'
import { filledLabel } from '../tool-calls/filled-label.ts'
import { outcomeOf } from '../tool-calls/tool-outcome.ts'
import { doubtsOf } from './recover.ts'
import { innerCalls } from '../tool-calls/inner-call.ts'
import { prepare, type Ready, restore, toolsOf } from '../tool-calls/prepare.ts'
import type { ToolSet } from '../tool-calls/tool-set.ts'
import type { LoopTurn, Prepared } from './loop-turn.ts'

type Executing = Extract<AgentState, { kind: 'executing' }>

const APPROVAL_FIELDS: JsonObject = {
  approved: { type: 'boolean' },
  feedback: { type: 'string', maxLength: 5000 },
}

/** @param context of the question: if a guard offers a grant, the answer may choose its scope */
const approvalSchema = (context: JsonObject): JsonObject => ({
  type: 'object',
  properties: {
    ...APPROVAL_FIELDS,
    ...(offerIn(context) && { scope: { type: 'string', enum: [...GRANT_SCOPES] } }),
  },
  required: ['approved'],
  additionalProperties: false,
})

/**
 * Advances the calls of a step by one batch: all refused calls, read-only calls concurrently,
 * effects one by one with the intent committed first, questions together, sub-agents together.
 */
export async function executing(state: Executing, turn: LoopTurn): Promise<Step> {
  const tools = await toolsOf(turn)
  if ('code' in tools) return { entries: [], next: turn.done(tools) }
  const work = new StepCalls(state, turn, tools)
  await work.guardAll()
  work.settleRefused()
  const open = work.open()
  const first = open[0]
  if (!first) return work.step(after(state, turn))
  const ready = work.ready(first.id)
  if (!ready)
    return work.step({
      kind: 'done',
      reason: 'error',
      error: failure('INTERNAL', `the call ${first.id} was never prepared`),
    })

  if (turn.stopped) return work.step()
  if (first.phase === 'running') await work.run([first.id])
  else if (ready.needs !== 'nothing' && first.phase !== 'approved') {
    return work.ask(
      open
        .filter(({ id, phase }) => phase !== 'approved' && work.ready(id)?.needs !== 'nothing')
        .map(({ id }) => id),
    )
  } else if (ready.call.tool.dispatches) {
    return work.step({ kind: 'dispatching', step: state.step, children: [], calls: work.calls })
  } else if (isReadOnly(ready.call)) await work.run(work.leadingReads(open))
  if (work.questions.size > 0) return work.askQuestions()
  // The intent of the next effect is committed together with the outcomes before it.
  if (!turn.stopped) work.recordIntent()
  return work.step()
}

/** The next state once all calls of a step are settled. */
function after(state: Executing, turn: LoopTurn): AgentState {
  if (turn.ends) return { kind: 'done', reason: 'model_stop' }
  return { kind: 'thinking', step: state.step + 1 }
}

class StepCalls {
  calls: readonly CallState[]
  readonly questions = new Map<CallId, QuestionDraft>()
  readonly #state: Executing
  readonly #turn: LoopTurn
  readonly #tools: ToolSet
  readonly #entries: JournalEntry[] = []

  constructor(state: Executing, turn: LoopTurn, tools: ToolSet) {
    this.#state = state
    this.#turn = turn
    this.#tools = tools
    this.calls = state.calls
  }

  step(next?: AgentState): Step {
    return {
      entries: this.#entries,
      next: next ?? { kind: 'executing', step: this.#state.step, calls: this.calls },
    }
  }

  open(): readonly CallState[] {
    return this.calls.filter(({ phase }) => phase !== 'settled')
  }

  ready(id: CallId): Ready | undefined {
    const prepared = this.#turn.prepared.get(id)
    return prepared?.kind === 'ready' ? prepared : undefined
  }

  /** Guards all calls of a step in order. Approved and running calls are restored instead. */
  async guardAll(): Promise<void> {
    // Starts of calls are emitted together with the reply, so that each reader has both or neither.
    const alreadyStreamed = this.#turn.parts.past.some((entry) => entry === this.#turn.reply)
    for (const state of this.open()) {
      if (this.#turn.prepared.has(state.id)) continue
      const reply: ReplyCall = this.#turn.reply?.calls.find(({ id }) => id === state.id) ?? {
        id: state.id,
        name: state.name,
        input: '{}',
        broken: 'The reply with this call no longer exists.',
      }
      const known = state.phase === 'approved' || state.phase === 'running'
      const prepared = known
        ? await restore(state, this.#tools, this.#turn)
        : await prepare(reply, this.#tools, this.#turn)
      this.#turn.prepared.set(state.id, prepared)
      if (!alreadyStreamed) this.#turn.progress(startOf(reply, prepared))
    }
  }

  settleRefused(): void {
    for (const state of this.open()) {
      const prepared = this.#turn.prepared.get(state.id)
      if (prepared?.kind !== 'refused') continue
      // A call that was interrupted while it ran may have taken effect, even if it is refused now.
      const { run, entries } = this.#turn
      const outcome =
        state.phase === 'running'
          ? ({ status: 'unknown', in_doubt: doubtsOf(state.id, run, entries) } as const)
          : ({ status: 'error' } as const)
      this.#settle(
        state.id,
        this.#turn.newEntry({
          kind: 'tool_outcome',
          call: state.id,
          name: state.name,
          ...outcome,
          output: prepared.message,
          code: prepared.code,
          ms: 0,
        }),
      )
    }
  }

  leadingReads(open: readonly CallState[]): readonly CallId[] {
    const ids: CallId[] = []
    for (const { id, phase } of open) {
      const ready = this.ready(id)
      if (
        !ready ||
        !isReadOnly(ready.call) ||
        ready.call.tool.dispatches ||
        (ready.needs !== 'nothing' && phase !== 'approved')
      )
        break
      ids.push(id)
      if (ids.length >= this.#turn.parts.settings.parallelCalls) break
    }
    return ids
  }

  /** Runs calls concurrently; outcomes are recorded in the order of the calls. */
  async run(ids: readonly CallId[]): Promise<void> {
    const ready = ids.flatMap((id) => this.ready(id) ?? [])
    const performed = await Promise.all(
      ready.map(async (one) => ({
        call: one.call,
        done: await perform(one.call, this.#turn, innerCalls(one, this.#tools, this.#turn)),
      })),
    )
    for (const { call, done } of performed) {
      const { result } = done
      if (result.status === 'asks') {
        this.questions.set(call.id, result.question)
        continue
      }
      this.#turn.ends ||= result.status === 'success' && result.ends === true
      this.#settle(call.id, outcomeOf(call, result, done, this.#turn))
    }
  }

  /**
   * Records the intent of the next effect. Its arguments are sealed where the visible ones differ.
   */
  recordIntent(): void {
    const next = this.open()[0]
    const ready = next && this.ready(next.id)
    if (
      !next ||
      !ready ||
      isReadOnly(ready.call) ||
      ready.call.tool.dispatches ||
      (ready.needs !== 'nothing' && next.phase !== 'approved')
    )
      return
    const target = targetOf(ready.call)
    this.#entries.push(
      this.#turn.newEntry({
        kind: 'tool_intent',
        call: next.id,
        name: ready.call.tool.name,
        args: ready.call.args,
        args_hash: ready.argsHash,
        tool_hash: ready.toolHash,
        action_hash: ready.actionHash,
        keyed: isKeyed(ready.call),
        ...(target ? { target } : {}),
      }),
    )
    this.#phase(next.id, 'running', { args_hash: ready.argsHash })
  }

  /** Asks for all approvals of the step at once, each with its own id. */
  ask(ids: readonly CallId[]): Step {
    const asks: PendingAsk[] = []
    const policy = this.#turn.parts.generation.scope.find(ApprovalPolicy)
    for (const id of ids) {
      const ready = this.ready(id)
      if (!ready || ready.needs === 'nothing') continue
      const { tool, args, action } = ready.call
      const context = {
        ...(action
          ? { endpoint: action.path, method: action.method, connection_name: action.connection }
          : {}),
        ...ready.context,
        tool: tool.name,
        call: id,
        tool_id: tool.name,
        tool_use_id: id,
        params: args,
        reason: ready.reasons.join('; '),
        tier: ready.needs,
      }
      const expiresInMs = policy?.expiresInMs(ready.call, ready.needs)
      asks.push(
        this.#openAsk(
          {
            type: 'approval',
            schema: approvalSchema(context),
            context,
            ...(expiresInMs === undefined ? {} : { expiresInMs }),
          },
          id,
          ready,
        ),
      )
    }
    return this.step({ kind: 'confirming', step: this.#state.step, asks, calls: this.calls })
  }

  askQuestions(): Step {
    const asks = [...this.questions].map(([id, question]) =>
      this.#openAsk(question, id, this.ready(id)),
    )
    return this.step({ kind: 'confirming', step: this.#state.step, asks, calls: this.calls })
  }

  #openAsk(question: QuestionDraft, call: CallId, ready: Ready | undefined): PendingAsk {
    const id = askId(`ask_${randomUUID()}`)
    const expires =
      question.expiresInMs === undefined
        ? {}
        : { expires_at: this.#turn.parts.time.now() + question.expiresInMs }
    this.#entries.push(
      this.#turn.newEntry({
        kind: 'input_asked',
        ask: id,
        ask_type: question.type,
        call,
        schema: question.schema,
        context: question.context,
        ...expires,
        ...(question.questions ? { questions: question.questions } : {}),
        bundle: this.#turn.bundle.hash,
        ...(ready
          ? {
              name: ready.call.tool.name,
              args_hash: ready.argsHash,
              tool_hash: ready.toolHash,
              action_hash: ready.actionHash,
            }
          : {}),
      }),
    )
    this.#phase(call, 'asked', { ask: id })
    return {
      id,
      type: question.type,
      call,
      schema: question.schema,
      context: question.context,
      ...expires,
      ...(question.resumes ? { resumes: true } : {}),
      ...(question.wakes ? { wakes: true } : {}),
    }
  }

  #settle(id: CallId, entry: JournalEntry): void {
    this.#entries.push(entry)
    this.#phase(id, 'settled')
  }

  #phase(id: CallId, phase: CallPhase, more: Partial<CallState> = {}): void {
    this.calls = this.calls.map((call) => (call.id === id ? { ...call, ...more, phase } : call))
  }
}

/** The event that a call begins, emitted before its outcome. */
function startOf({ id, name, input }: ReplyCall, prepared: Prepared): AgentEvent {
  const start = { type: 'tool_call_start', tool_id: id } as const
  if (prepared.kind === 'refused')
    // an object, checked when it was read
    return { ...start, tool_name: name, parameters: parseExact(input) as JsonObject }
  const { tool, args } = prepared.call
  return {
    ...start,
    tool_name: tool.name,
    parameters: args,
    ...(tool.runningLabel === undefined
      ? {}
      : { running_label: filledLabel(tool.runningLabel, args) }),
    ...(tool.completedLabel === undefined
      ? {}
      : { completed_label: filledLabel(tool.completedLabel, args) }),
    ...(tool.internal ? { internal: true } : {}),
  }
}
