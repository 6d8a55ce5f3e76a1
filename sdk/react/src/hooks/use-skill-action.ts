import { useCallback, useEffect, useRef } from 'react'
import { useAsk, type AskState } from './use-ask.ts'

export interface SkillActionOptions {
  /** Called once the turn is done. */
  readonly onDone?: (sessionId: string) => void
}

export interface SkillAction extends AskState {
  /** Settles with the turn; what went wrong is in `error`. */
  readonly invoke: (input: { readonly query: string }) => Promise<void>
}

/**
 * Asks the agent to use a skill, in a session of its own.
 *
 * @example
 * const { invoke, loading } = useSkillAction('triage')
 * const onClick = () => invoke({ query: 'Triage the latest alerts' })
 */
export function useSkillAction(skill: string, { onDone }: SkillActionOptions = {}): SkillAction {
  const { ask, ...state } = useAsk()
  const done = useRef(onDone)
  useEffect(() => {
    done.current = onDone
  })
  const invoke = useCallback(
    ({ query }: { readonly query: string }) =>
      ask(`${query}\n\nUse the skill "${skill}".`).then(
        ({ sessionId }) => done.current?.(sessionId),
        () => undefined, // `error` has it
      ),
    [ask, skill],
  )
  return { invoke, ...state }
}
