import type { JsonObject } from '@amodal/sdk'
import { useState, type ReactNode } from 'react'
import { misfitIn, textIn } from '../../model/run-asks.ts'
import { formFields, presetText, typedValue, type FormField } from '../../model/run-form.ts'
import type { RunQuestion } from '@amodal/sdk/client'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { LabeledField, type ControlAttributes } from '../labeled-field.tsx'
import { AskForm } from './ask-form.tsx'
import { NumberField } from './number-field.tsx'

const text = RUN_STRINGS.pauses
const WRONG = { missing: text.missing, number: text.badNumber, json: text.badJson } as const

/** A form that a run asks a person to fill in: a control for each field of its schema. */
export function FormCard({
  pending,
  problem,
  onAnswer,
}: {
  readonly pending: RunQuestion
  /** Of the answer before, as the server has it. */
  readonly problem: string | undefined
  readonly onAnswer: (input: JsonObject) => void
}): ReactNode {
  const fields = formFields(pending.pending_input_schema)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(fields.map((field) => [field.name, presetText(field)])),
  )
  const [wrong, setWrong] = useState<ReadonlyMap<string, string>>(new Map())
  const misfit = problem === undefined ? undefined : misfitIn(problem, Object.keys(typed))
  const submit = (): void => {
    const values: Record<string, JsonObject[string]> = {}
    const problems = new Map<string, string>()
    for (const field of fields) {
      const read = typedValue(field, typed[field.name] ?? '')
      if (read.kind === 'value') values[field.name] = read.value
      if (read.kind === 'wrong') problems.set(field.name, WRONG[read.why])
    }
    setWrong(problems)
    if (problems.size === 0) onAnswer(values)
  }
  return (
    <AskForm
      title={textIn(pending.pending_input_context) || text.form}
      misfit={misfit}
      onSubmit={submit}
      buttons={
        <button type="submit" className="primary">
          {text.send}
        </button>
      }
    >
      {fields.map((field) => (
        <Field
          key={field.name}
          field={field}
          value={typed[field.name] ?? ''}
          problem={
            wrong.get(field.name) ?? (misfit?.field === field.name ? misfit.text : undefined)
          }
          onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
        />
      ))}
    </AskForm>
  )
}

interface FieldProps {
  readonly field: FormField
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (value: string) => void
}

function Field({ field, value, problem, onChange }: FieldProps): ReactNode {
  const { kind, hint, least, most } = field
  const label = (
    <>
      {field.label}
      {!field.isRequired && kind !== 'boolean' && <small className="muted"> {text.optional}</small>}
    </>
  )
  if (kind === 'number' || kind === 'integer')
    return (
      <NumberField
        {...{ label, hint, value, least, most, problem, onChange }}
        isInteger={kind === 'integer'}
      />
    )
  return (
    <LabeledField label={kind === 'boolean' ? undefined : label} {...{ hint, problem }}>
      {(attributes) => <Control {...{ field, value, onChange, attributes }} />}
    </LabeledField>
  )
}

interface ControlProps extends Pick<FieldProps, 'field' | 'value' | 'onChange'> {
  readonly attributes: ControlAttributes
}

function Control({
  field: { kind, label, options },
  value,
  onChange,
  attributes,
}: ControlProps): ReactNode {
  const shared = {
    ...attributes,
    value,
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      onChange(target.value),
  }
  switch (kind) {
    case 'boolean':
      return (
        <label className="check">
          <input
            type="checkbox"
            aria-describedby={attributes['aria-describedby']}
            checked={value === 'true'}
            onChange={({ target }) => onChange(String(target.checked))}
          />
          {label}
        </label>
      )
    case 'choice':
      return (
        <select {...shared}>
          <option value="">{text.choose}</option>
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )
    case 'long':
    case 'json':
      return (
        <textarea
          {...shared}
          rows={4}
          spellCheck={kind === 'long'}
          className={kind === 'json' ? 'json-text' : undefined}
        />
      )
    case 'text':
      return <input {...shared} type="text" autoComplete="off" />
    case 'number':
    case 'integer':
      return null
    default:
      return kind satisfies never
  }
}
