import {
  isReadOnly,
  type Answer,
  type PreparedCall,
  type Question,
  type RunContext,
  type Verdict,
} from '@amodal/sdk'
import { automationRunOf } from './run-state.ts'

const READ_ONLY =
  'this automation may not change anything: its file does not say `"writeEnabled": true`'
const NOBODY = 'it needs an approval, and its automation says `"approvals": "refuse"`'

/** Refuses writes of runs that may only read, whatever tool makes them. */
export function refuseWrite(
  verdict: Verdict,
  call: PreparedCall,
  ctx: RunContext,
): Verdict | undefined {
  const run = automationRunOf(ctx)
  if (!run || run.writeEnabled || isReadOnly(call)) return undefined
  return verdict.raise('deny', READ_ONLY)
}

/** Refuses at once what would wait for a person, where the automation says so. */
export function refuseUnapproved(
  verdict: Verdict,
  _call: PreparedCall,
  ctx: RunContext,
): Verdict | undefined {
  const waits = verdict.level === 'confirm' || verdict.level === 'review'
  return waits && automationRunOf(ctx)?.waits === false ? verdict.raise('deny', NOBODY) : undefined
}

/**
 * Answers the questions of a run that nobody is asked, such as whether it goes on past a limit.
 * Approvals wait for a person, unless the automation says that they are refused.
 */
export function answerForNobody(question: Question, ctx: RunContext): Answer | undefined {
  const run = automationRunOf(ctx)
  if (!run) return undefined
  switch (question.type) {
    case 'approval':
      return run.waits ? undefined : { answer: { approved: false, feedback: NOBODY } }
    case 'continue_or_finish':
      return { answer: { action: 'finish' } }
    case 'question':
      if (question.wakes === true) return undefined // it waits for a time, and for nobody
      if (question.context['durable'] === 'approval')
        return run.waits ? undefined : { answer: { answers: { approved: 'no', note: NOBODY } } }
      return { answer: { response: 'Nobody is there to answer: go on without.' } }
  }
}
