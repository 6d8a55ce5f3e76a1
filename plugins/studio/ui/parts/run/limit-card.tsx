import type { JsonObject } from '@amodal/sdk'
import { useState, type ReactNode } from 'react'
import { extensionsOf, misfitIn, type Extension } from '../../model/run-asks.ts'
import type { RunQuestion } from '@amodal/sdk/client'
import { plain } from '../../model/timeline.ts'
import { RUN_STRINGS } from '../../strings-runs.ts'
import { AskForm } from './ask-form.tsx'
import { NumberField } from './number-field.tsx'

const text = RUN_STRINGS.pauses

/** A run has used up its turns or another budget: it goes on with more of it, or ends. */
export function LimitCard({
  pending,
  problem,
  onAnswer,
}: {
  readonly pending: RunQuestion
  /** Of the answer before, as the server has it. */
  readonly problem: string | undefined
  readonly onAnswer: (input: JsonObject) => void
}): ReactNode {
  const extensions = extensionsOf(pending)
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(extensions.map(({ name, proposed }) => [name, String(proposed)])),
  )
  const misfit = problem === undefined ? undefined : misfitIn(problem, Object.keys(typed))
  const numbers = extensions.map((one) => [one.name, numberOf(typed[one.name] ?? '')] as const)
  const go = (): void => {
    if (numbers.some(([, number]) => Number.isNaN(number))) return
    const given = numbers.filter(([, number]) => number !== undefined)
    onAnswer({ action: 'continue', ...(Object.fromEntries(given) as JsonObject) }) // no undefined
  }
  return (
    <AskForm
      title={text.limit}
      misfit={misfit}
      onSubmit={go}
      buttons={
        <>
          <button type="submit" className="primary">
            {text.continue}
          </button>
          <button type="button" onClick={() => onAnswer({ action: 'finish' })}>
            {text.finish}
          </button>
        </>
      }
    >
      <p>{reasonOf(pending.pending_input_context)}</p>
      {extensions.map((one) => (
        <NumberField
          key={one.name}
          label={labelOf(one)}
          value={typed[one.name] ?? ''}
          least={one.least}
          most={one.most}
          isInteger={one.isInteger}
          problem={problemOf(one, typed, misfit)}
          onChange={(value) => setTyped((before) => ({ ...before, [one.name]: value }))}
        />
      ))}
    </AskForm>
  )
}

const labelOf = ({ name }: Extension): string => text.extensions[name] ?? name.replaceAll('_', ' ')

/** What is wrong with what was typed, or what the server says of it. */
function problemOf(
  { name }: Extension,
  typed: Readonly<Record<string, string>>,
  misfit: ReturnType<typeof misfitIn> | undefined,
): string | undefined {
  if (Number.isNaN(numberOf(typed[name] ?? ''))) return text.badNumber
  return misfit?.field === name ? misfit.text : undefined
}

/** `undefined`: nothing was typed; `NaN`: something that is no number. */
const numberOf = (typed: string): number | undefined =>
  typed.trim() === '' ? undefined : Number(typed)

function reasonOf({ message, reason = '', turns, used, limit }: JsonObject): string {
  if (typeof turns === 'number') return text.turnsUsed(String(turns))
  if (typeof message === 'string') return message
  if (used !== undefined && limit !== undefined) return text.used(plain(used), plain(limit))
  return plain(reason).replaceAll('_', ' ')
}
