import { useId, type ReactNode } from 'react'

/** What connects a control with its label, its hint and what is wrong with it. */
export interface ControlAttributes {
  readonly id: string
  readonly 'aria-describedby': string | undefined
  readonly 'aria-invalid': boolean
}

export interface LabeledFieldProps {
  /** `undefined`: the control has its own. */
  readonly label: ReactNode
  readonly hint?: string | undefined
  readonly problem: string | undefined
  readonly children: (attributes: ControlAttributes) => ReactNode
}

/** A control of a form with its label, what it is for and what is wrong with it. */
export function LabeledField({ label, hint, problem, children }: LabeledFieldProps): ReactNode {
  const id = useId()
  const isInvalid = problem !== undefined
  const described = [hint !== undefined && `${id}-hint`, isInvalid && `${id}-problem`]
    .filter((part) => part !== false)
    .join(' ')
  return (
    <div className="field" data-invalid={isInvalid}>
      {label !== undefined && <label htmlFor={id}>{label}</label>}
      {children({
        id,
        'aria-describedby': described === '' ? undefined : described,
        'aria-invalid': isInvalid,
      })}
      {hint !== undefined && (
        <small id={`${id}-hint`} className="muted">
          {hint}
        </small>
      )}
      {isInvalid && (
        <small id={`${id}-problem`} className="bad" role="alert">
          {problem}
        </small>
      )}
    </div>
  )
}
