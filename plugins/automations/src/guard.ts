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
const NOBODY = 'it needs an approval, and nobody is there to give one in a run of an automation'

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

/** Refuses at once what would wait for a person who is not there. */
export function refuseUnapproved(
  verdict: Verdict,
  _call: PreparedCall,
  ctx: RunContext,
): Verdict | undefined {
  const waits = verdict.level === 'confirm' || verdict.level === 'review'
  return waits && automationRunOf(ctx) ? verdict.raise('deny', NOBODY) : undefined
}

/** Answers other questions of a run, such as whether it goes on past a limit. */
export function answerForNobody(question: Question, ctx: RunContext): Answer | undefined {
  if (!automationRunOf(ctx)) return undefined
  switch (question.type) {
    case 'approval':
      return { answer: { approved: false, feedback: NOBODY } }
    case 'continue_or_finish':
      return { answer: { action: 'finish' } }
    case 'question':
      return { answer: { response: 'Nobody is there to answer: go on without.' } }
  }
}
