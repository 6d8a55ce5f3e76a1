import { useId, type ReactNode } from 'react'

export interface NumberFieldProps {
  readonly label: ReactNode
  readonly hint?: string | undefined
  /** As it was typed. */
  readonly value: string
  readonly least: number | undefined
  readonly most: number | undefined
  readonly isInteger: boolean
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

/** A number to type in, with its range and what is wrong with it. */
export function NumberField(props: NumberFieldProps): ReactNode {
  const { label, hint, value, least, most, isInteger, problem, onChange } = props
  const id = useId()
  const about = hint ?? rangeText(least, most)
  const described = [about && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div className="field" data-invalid={problem !== undefined}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="text"
        inputMode={isInteger ? 'numeric' : 'decimal'}
        autoComplete="off"
        aria-invalid={problem !== undefined}
        aria-describedby={described === '' ? undefined : described}
        value={value}
        onChange={({ target }) => onChange(target.value)}
      />
      {about !== undefined && (
        <small id={`${id}-hint`} className="muted">
          {about}
        </small>
      )}
      {problem !== undefined && (
        <small id={`${id}-problem`} className="bad" role="alert">
          {problem}
        </small>
      )}
    </div>
  )
}

function rangeText(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}`
  if (least !== undefined) return `At least ${least}`
  return most === undefined ? undefined : `At most ${most}`
}
