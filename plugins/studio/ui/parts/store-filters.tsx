import type { Json } from '@amodal/sdk'
import { parseExact } from '../model/exact.ts'
import { useId, useState, type ReactNode } from 'react'
import {
  comparisonsOf,
  conditionText,
  isFilterable,
  type Comparison,
  type Condition,
} from '../model/store-query.ts'
import { labelOf, type Column, type Field } from '../model/stores.ts'
import { STRINGS } from '../strings.ts'
import { Icon } from './icons.tsx'

export interface FilterChipsProps {
  readonly columns: readonly Column[]
  readonly conditions: readonly Condition[]
  readonly onChange: (conditions: readonly Condition[]) => void
}

/** The conditions of a filter, each of which can be removed. */
export function FilterChips({ columns, conditions, onChange }: FilterChipsProps): ReactNode {
  if (conditions.length === 0) return null
  const text = STRINGS.stores
  return (
    <ul className="chips">
      {conditions.map((condition, at) => {
        const field = columns.find(({ name }) => name === condition.field)?.field
        const described = conditionText(condition, field)
        const label = labelOf(condition.field)
        return (
          <li key={`${condition.field} ${condition.op}`} className="chip">
            <span>
              <b>{label}</b> {described}
            </span>
            <button
              type="button"
              className="quiet"
              aria-label={text.removeFilter(`${label} ${described}`)}
              onClick={() => onChange(conditions.toSpliced(at, 1))}
            >
              <Icon name="cross" />
            </button>
          </li>
        )
      })}
      {conditions.length > 1 && (
        <li>
          <button type="button" className="link" onClick={() => onChange([])}>
            {text.clear}
          </button>
        </li>
      )}
    </ul>
  )
}

export interface FilterEditorProps {
  readonly columns: readonly Column[]
  readonly conditions: readonly Condition[]
  /** The field that it begins with. */
  readonly field: string | undefined
  readonly onApply: (conditions: readonly Condition[]) => void
}

/** Adds a condition, or replaces the one that compares the same field in the same way. */
export function FilterEditor(props: FilterEditorProps): ReactNode {
  const { conditions, onApply } = props
  const text = STRINGS.stores
  const columns = props.columns.filter(isFilterable)
  const [name, setName] = useState(props.field ?? columns[0]?.name ?? '')
  const field = columns.find((column) => column.name === name)?.field
  const comparisons = field ? comparisonsOf(field) : []
  const [key, setKey] = useState<string>()
  const comparison = comparisons.find((each) => each.key === key) ?? comparisons[0]
  const [operand, setOperand] = useState<Operand>({ text: '', chosen: [] })
  const [problem, setProblem] = useState<string>()
  if (!field || !comparison) return null
  const apply = (): void => {
    const value = operandOf(field, comparison, operand)
    if ('problem' in value) return setProblem(value.problem)
    const others = conditions.filter(
      (condition) => condition.field !== name || condition.op !== comparison.op,
    )
    onApply([...others, { field: name, op: comparison.op, value: value.value }])
  }
  return (
    <form
      className="filter-editor"
      onSubmit={(event) => {
        event.preventDefault()
        apply()
      }}
    >
      <label>
        {text.field}
        <select
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setKey(undefined)
            setOperand({ text: '', chosen: [] })
            setProblem(undefined)
          }}
        >
          {columns.map((column) => (
            <option key={column.name} value={column.name}>
              {labelOf(column.name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {text.comparison}
        <select value={comparison.key} onChange={({ target }) => setKey(target.value)}>
          {comparisons.map((each) => (
            <option key={each.key} value={each.key}>
              {each.label}
            </option>
          ))}
        </select>
      </label>
      <div data-focus={props.field !== undefined || undefined}>
        <OperandField {...{ field, comparison, operand, problem }} onChange={setOperand} />
      </div>
      <button type="submit" className="primary">
        {text.apply}
      </button>
    </form>
  )
}

/** What somebody has typed or chosen. */
interface Operand {
  readonly text: string
  readonly chosen: readonly string[]
}

function OperandField({
  field,
  comparison,
  operand,
  problem,
  onChange,
}: {
  readonly field: Field
  readonly comparison: Comparison
  readonly operand: Operand
  readonly problem: string | undefined
  readonly onChange: (operand: Operand) => void
}): ReactNode {
  const id = useId()
  const text = STRINGS.stores
  const error = problem !== undefined && (
    <small id={id} className="bad" role="alert">
      {problem}
    </small>
  )
  if (comparison.operand === 'none') return null
  if (comparison.operand === 'many')
    return (
      <fieldset className="choices">
        <legend className="sr">{text.value}</legend>
        {field.values?.map((value) => (
          <label key={value} className="check">
            <input
              type="checkbox"
              checked={operand.chosen.includes(value)}
              onChange={({ target }) =>
                onChange({
                  ...operand,
                  chosen: target.checked
                    ? [...operand.chosen, value]
                    : operand.chosen.filter((each) => each !== value),
                })
              }
            />
            {value}
          </label>
        ))}
        {error}
      </fieldset>
    )
  if (field.type === 'boolean')
    return (
      <label>
        {text.value}
        <select
          value={operand.text === 'false' ? 'false' : 'true'}
          onChange={({ target }) => onChange({ ...operand, text: target.value })}
        >
          <option value="true">{text.yes}</option>
          <option value="false">{text.no}</option>
        </select>
      </label>
    )
  return (
    <label>
      {text.value}
      <input
        type={field.type === 'datetime' ? 'datetime-local' : 'text'}
        inputMode={field.type === 'number' ? 'decimal' : undefined}
        autoComplete="off"
        aria-describedby={problem === undefined ? undefined : id}
        aria-invalid={problem !== undefined}
        value={operand.text}
        onChange={({ target }) => onChange({ ...operand, text: target.value })}
      />
      {error}
    </label>
  )
}

function operandOf(
  field: Field,
  { operand: kind }: Comparison,
  { text, chosen }: Operand,
): { readonly value: Json } | { readonly problem: string } {
  const { noOption, noNumber, noTime } = STRINGS.stores
  if (kind === 'none') return { value: null }
  if (kind === 'many') return chosen.length > 0 ? { value: [...chosen] } : { problem: noOption }
  const type = field.type === 'array' ? (field.item?.type ?? 'string') : field.type
  switch (type) {
    case 'number': {
      const value = numberOf(text.trim())
      return value === undefined ? { problem: noNumber } : { value }
    }
    case 'datetime': {
      const at = new Date(text)
      return Number.isNaN(at.getTime()) ? { problem: noTime } : { value: at.toISOString() }
    }
    case 'boolean':
      return { value: text !== 'false' }
    case 'string':
    case 'ref':
    case 'enum':
    case 'array':
    case 'object':
      return { value: text }
    default:
      return type satisfies never
  }
}

/** A number as it is typed, with all of its digits. */
export function numberOf(text: string): Json | undefined {
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) return undefined
  return parseExact(text) as Json // a number of JSON
}
