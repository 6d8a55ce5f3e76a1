import {
  isReadOnly,
  never,
  type Answer,
  type HookTaps,
  type PromptDraft,
  type Question,
  type RunContext,
  type ToolList,
} from '@amodal/sdk'
import { refuseEnded } from './enactments.ts'
import { roleOf, type Trial, type Trials } from './trial.ts'

const ENDED = 'the eval that this session belongs to has ended'
const NO_TOOLS: ToolList = Object.freeze({ tools: [], aliases: {} })

/** Makes sessions of trials what their cases say, and those of trials that ended do nothing. */
export function tapTrials(hooks: HookTaps, trials: Trials): void {
  refuseEnded(hooks, trials, ENDED)
  tapTools(hooks, trials)
  tapModels(hooks, trials)
  hooks.confirm.ask.tap(
    (question, run) => {
      const found = trials.of(run)
      if (!found) return undefined
      const { enactment: trial } = found
      return trial ? answerOf(question, trial) : { answer: { approved: false } }
    },
    { stage: 'first' },
  )
}

function tapTools(hooks: HookTaps, trials: Trials): void {
  hooks.tools.list.tap(
    (list, run) => {
      const found = trials.of(run)
      if (!found) return undefined
      const { enactment: trial, state } = found
      return !trial || roleOf(state) === 'judge' ? NO_TOOLS : trial.tools(list)
    },
    { stage: 'last' },
  )
  hooks.tool.guard.tap(
    (_verdict, call, run) => {
      if (!isReadOnly(call)) trials.of(run)?.enactment?.effects.add(call.id)
      return undefined
    },
    { stage: 'last' },
  )
}

function tapModels(hooks: HookTaps, trials: Trials): void {
  hooks.model.route.tap(
    (call, run) => {
      const config = configOf(trials, run, call.tier === 'main')
      return config && { action: 'use', config }
    },
    { stage: 'first' },
  )
  hooks.prompt.compile.tap(
    (draft, run) => {
      const found = trials.of(run)
      return found && roleOf(found.state) === 'judge'
        ? promptOfJudge(draft, found.enactment)
        : undefined
    },
    { stage: 'last' },
  )
}

function configOf(trials: Trials, run: RunContext, isMain: boolean): Trial['model'] {
  const found = trials.of(run)
  if (found && roleOf(found.state) === 'judge') return found.enactment?.judge?.config
  return isMain ? found?.enactment?.model : undefined
}

/** Nothing of the agent is in the prompt of its judge. */
const promptOfJudge = (_draft: PromptDraft, trial: Trial | undefined): PromptDraft => ({
  sections: [
    {
      id: 'judge',
      title: '',
      body: trial?.judge?.instructions ?? '',
      weight: 0,
      category: 'system',
      plugin: 'evals',
    },
  ],
})

/** Answers in place of a person, as the case says. */
function answerOf(question: Question, trial: Trial): Answer {
  switch (question.type) {
    case 'approval':
      return trial.case.approvals === 'grant'
        ? { answer: { approved: true } }
        : { answer: { approved: false, feedback: 'The person who was asked refused it.' } }
    case 'continue_or_finish':
      return { answer: { action: 'finish' } }
    case 'question': {
      const answer = trial.nextAnswer()
      if (answer) return { answer }
      trial.problems.push('it asked a question, and the case has no answer for it')
      return { answer: { response: 'Nobody is there to answer: go on without.' } }
    }
    default:
      return never(question.type)
  }
}
