import type { ReactNode } from 'react'
import { LabeledField } from '../labeled-field.tsx'

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
  return (
    <LabeledField label={label} hint={hint ?? rangeText(least, most)} problem={problem}>
      {(attributes) => (
        <input
          {...attributes}
          type="text"
          inputMode={isInteger ? 'numeric' : 'decimal'}
          autoComplete="off"
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </LabeledField>
  )
}

function rangeText(least: number | undefined, most: number | undefined): string | undefined {
  if (least !== undefined && most !== undefined) return `From ${least} to ${most}`
  if (least !== undefined) return `At least ${least}`
  return most === undefined ? undefined : `At most ${most}`
}
