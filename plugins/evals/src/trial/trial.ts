import type { CallId, JsonObject, ModelConfig, SessionId, TenantId, ToolList } from '@amodal/sdk'
import type { EvalCase } from '../definition.ts'
import { Enactments, type Enactment } from './enactments.ts'
import { StubPlayer } from './stub-player.ts'
import { stubbedTools } from './stubbed-tools.ts'

const KEY = 'evals'

/** What a session of an eval is for: the agent that is tested, or the judge. */
export type TrialRole = 'subject' | 'judge'

/** What a model is asked in place of the agent, and how. */
export interface JudgePart {
  readonly instructions: string
  readonly config: ModelConfig
}

/** One run of one case, from its first message until its results are written. */
export class Trial implements Enactment {
  readonly tenant: TenantId
  readonly case: EvalCase
  /** In place of the agent's main model. */
  readonly model: ModelConfig | undefined
  readonly stubs: StubPlayer
  /** Why the case cannot pass, whatever the answer says: calls that no stub answers, questions. */
  readonly problems: string[] = []
  /** Sessions that it began, for whoever removes them. */
  readonly sessions = new Set<SessionId>()
  /** Calls that would change something, whether they were refused or not. */
  readonly effects = new Set<CallId>()
  judge: JudgePart | undefined
  #answers: JsonObject[] = []
  /** One list of tools stays the same object, so that its prompt is compiled once. */
  readonly #tools = new WeakMap<ToolList, ToolList>()

  constructor(
    tenant: TenantId,
    evalCase: EvalCase,
    { model, real }: { readonly model?: ModelConfig | undefined; readonly real: readonly string[] },
  ) {
    this.tenant = tenant
    this.case = evalCase
    this.model = model
    this.stubs = new StubPlayer(evalCase.stubs, real)
  }

  /** Answers to the questions of the turn that begins now. */
  expectQuestions(answers: readonly JsonObject[]): void {
    this.#answers = [...answers]
  }

  /** The agent's tools as the case has them. */
  tools(list: ToolList): ToolList {
    const known = this.#tools.get(list)
    if (known) return known
    const tools = stubbedTools(list, this)
    this.#tools.set(list, tools)
    return tools
  }

  nextAnswer(): JsonObject | undefined {
    return this.#answers.shift()
  }
}

/** What a session of a trial carries in its state, and its sub-agents in theirs. */
export const stateOf = (trial: Trial, role: TrialRole): JsonObject => ({
  [KEY]: { tenant: trial.tenant, role },
})

/** Whether a session belongs to a trial, which may have ended. */
export const isTrial = ({ sessionState }: { readonly sessionState: JsonObject }): boolean =>
  sessionState[KEY] !== undefined

/** What a session with this state of a trial is for. */
export const roleOf = ({ role }: JsonObject): TrialRole => (role === 'judge' ? 'judge' : 'subject')

/** The trials that run in this process. */
export class Trials extends Enactments<Trial> {
  constructor() {
    super(KEY)
  }
}
